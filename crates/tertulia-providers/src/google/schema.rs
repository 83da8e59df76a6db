//! Schemas for older models, which take a subset of `OpenAPI` and refuse whatever else stands in a schema.

use std::cell::Cell;

use serde_json::{Map, Value, json};

/// What the subset has; everything else is left out.
const KEPT: [&str; 15] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "minLength",
    "maxLength",
    "pattern",
    "required",
    "minimum",
    "maximum",
    "default",
];
/// The formats that are known.
const FORMATS: [&str; 6] = ["enum", "date-time", "float", "double", "int32", "int64"];
/// How deep schemas may stand in each other: a schema may refer to itself.
const DEEPEST: usize = 8;
/// How many schemas may stand in one: a small one that refers to itself in many places would become a huge one.
const MOST: usize = 500;

/// A schema under way.
struct Reduction<'a> {
    root: &'a Value,
    /// How many schemas may still be written.
    left: Cell<usize>,
}

/// The schema in the subset.
pub(crate) fn subset(schema: &Value) -> Value {
    let reduction = Reduction {
        root: schema,
        left: Cell::new(MOST),
    };
    reduced(schema, &reduction, 0)
}

fn reduced(schema: &Value, reduction: &Reduction<'_>, depth: usize) -> Value {
    let Some(fields) = resolved(schema, reduction.root) else {
        return json!({"type": "string"});
    };
    let left = reduction.left.get().checked_sub(1).filter(|_| depth < DEEPEST);
    let Some(left) = left else {
        return json!({"type": "object"});
    };
    reduction.left.set(left);
    let below = |schema: &Value| reduced(schema, reduction, depth + 1);
    let mut kept = Map::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter().map(|(name, schema)| (name.clone(), below(schema)));
                kept.insert(name.clone(), properties.collect());
            }
            ("items", schema) => drop(kept.insert(name.clone(), below(schema))),
            ("type", Value::Array(types)) => one_type(types, &mut kept),
            ("anyOf" | "oneOf", Value::Array(schemas)) => one_of(schemas, below, &mut kept),
            ("const", value) => drop(kept.insert("enum".to_owned(), json!([value]))),
            ("format", Value::String(format)) if !FORMATS.contains(&format.as_str()) => {}
            (name, value) if KEPT.contains(&name) => drop(kept.insert(name.to_owned(), value.clone())),
            _ => {}
        }
    }
    Value::Object(kept)
}

/// The fields of a schema, or of the one it refers to within the same document.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> Option<&'a Map<String, Value>> {
    let referred = schema.get("$ref").and_then(Value::as_str);
    let schema = match referred {
        Some(reference) => root.pointer(reference.strip_prefix('#')?)?,
        None => schema,
    };
    schema.as_object()
}

/// `["string", "null"]` is a string that may be null.
fn one_type(types: &[Value], kept: &mut Map<String, Value>) {
    let (nulls, others): (Vec<&Value>, Vec<&Value>) = types.iter().partition(|kind| **kind == "null");
    if let Some(kind) = others.first() {
        kept.insert("type".to_owned(), (*kind).clone());
    }
    if !nulls.is_empty() {
        kept.insert("nullable".to_owned(), Value::Bool(true));
    }
}

/// A choice of a schema and null is the schema that may be null.
fn one_of(schemas: &[Value], below: impl Fn(&Value) -> Value, kept: &mut Map<String, Value>) {
    let is_null = |schema: &&Value| schema.get("type").is_some_and(|kind| kind == "null");
    let (nulls, others): (Vec<&Value>, Vec<&Value>) = schemas.iter().partition(is_null);
    match others.as_slice() {
        [one] => {
            if let Value::Object(fields) = below(one) {
                kept.extend(fields);
            }
        }
        many => drop(kept.insert("anyOf".to_owned(), many.iter().map(|schema| below(schema)).collect())),
    }
    if !nulls.is_empty() {
        kept.insert("nullable".to_owned(), Value::Bool(true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_subset_is_left() {
        let schema = json!({
            "$schema": "x", "type": "object", "additionalProperties": false, "required": ["a"],
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
            "properties": {
                "a": {"type": ["string", "null"], "format": "uri", "examples": ["x"]},
                "b": {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}], "description": "b"},
                "c": {"type": "array", "items": {"oneOf": [{"const": "x"}, {"type": "string", "format": "date-time"}]}},
                "d": {"$ref": "#/$defs/Missing"},
            },
        });
        let expected = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": {"type": "string", "nullable": true},
                "b": {"type": "integer", "nullable": true, "description": "b"},
                "c": {"type": "array", "items": {"anyOf": [{"enum": ["x"]}, {"type": "string", "format": "date-time"}]}},
                "d": {"type": "string"},
            },
        });
        assert_eq!(subset(&schema), expected);
    }

    #[test]
    fn a_schema_that_holds_itself_has_an_end() {
        let schema = json!({
            "$ref": "#/$defs/Node",
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
        });
        let text = subset(&schema).to_string();
        assert_eq!(text.matches("next").count(), DEEPEST, "{text}");
    }

    #[test]
    fn a_schema_that_holds_itself_often_stays_small() {
        let names = ('a'..='z').map(|name| (name.to_string(), json!({"$ref": "#/$defs/Node"})));
        let node = json!({"type": "object", "properties": names.collect::<Map<_, _>>()});
        let schema = json!({"$ref": "#/$defs/Node", "$defs": {"Node": node}});
        assert!(subset(&schema).to_string().len() < 1_000 * MOST);
    }
}
