//! Buttons below messages.

use serde_json::Value;

use super::refusal::Refusal;

const MOST_BUTTONS: usize = 100;
const MOST_IN_A_ROW: usize = 8;
const LONGEST_DATA: usize = 64;

/// Rows of buttons, as they came.
pub(super) type Rows = Vec<Vec<Value>>;

/// Checks a `reply_markup`; keyboards other than inline ones put no buttons below the message.
pub(super) fn rows(markup: Option<&Value>) -> Result<Rows, Refusal> {
    let Some(markup) = markup else { return Ok(Rows::new()) };
    if !markup.is_object() {
        return Err(Refusal::bad("object expected as reply markup"));
    }
    let Some(keyboard) = markup.get("inline_keyboard") else {
        return Ok(Rows::new());
    };
    let wrong = || Refusal::bad("field \"inline_keyboard\" must be of type Array");
    let rows = keyboard.as_array().ok_or_else(wrong)?;
    let rows: Vec<Vec<Value>> = rows
        .iter()
        .map(|row| row.as_array().cloned().ok_or_else(wrong))
        .collect::<Result<_, _>>()?;
    let rows: Rows = rows.into_iter().filter(|row| !row.is_empty()).collect();
    if rows.iter().flatten().count() > MOST_BUTTONS || rows.iter().any(|row| row.len() > MOST_IN_A_ROW) {
        return Err(Refusal::bad("reply markup is too long"));
    }
    rows.iter().flatten().try_for_each(button)?;
    Ok(rows)
}

fn button(button: &Value) -> Result<(), Refusal> {
    let field = |name: &str| button.get(name).and_then(Value::as_str);
    if field("text").is_none_or(|text| text.trim().is_empty()) {
        return Err(Refusal::bad(
            "can't parse inline keyboard button: text must be non-empty",
        ));
    }
    match (field("callback_data"), field("url")) {
        (Some(data), None) if (1..=LONGEST_DATA).contains(&data.len()) => Ok(()),
        (None, Some(url)) if !url.is_empty() => Ok(()),
        (None, None) => Err(Refusal::bad(
            "can't parse inline keyboard button: text buttons are unallowed in the inline keyboard",
        )),
        _ => Err(Refusal::bad("BUTTON_DATA_INVALID")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keyboard(rows: usize, width: usize, data: &str) -> Value {
        let row = vec![json!({"text": "x", "callback_data": data}); width];
        json!({ "inline_keyboard": vec![row; rows] })
    }

    #[test]
    fn buttons_have_limits() {
        assert_eq!(rows(None), Ok(Rows::new()));
        assert!(rows(Some(&keyboard(12, 8, &"d".repeat(64)))).is_ok());
        for wrong in [
            keyboard(13, 8, "d"),
            keyboard(1, 9, "d"),
            keyboard(1, 1, ""),
            keyboard(1, 1, &"ä".repeat(33)),
            json!({"inline_keyboard": [[{"text": "x"}]]}),
            json!({"inline_keyboard": [[{"text": "", "callback_data": "d"}]]}),
            json!({"inline_keyboard": [{"text": "x", "callback_data": "d"}]}),
            json!("x"),
        ] {
            assert!(rows(Some(&wrong)).is_err(), "{wrong}");
        }
    }
}
