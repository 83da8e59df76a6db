//! What is wrong in a provider's section, each kind by its own keys.

use super::check_file;

/// Two providers that can be asked, and whatever else.
fn pair(rest: &str) -> String {
    format!("[providers.b]\nkind = \"demo\"\n[providers.a]\nkind = \"anthropic\"\nmodel = \"m\"\n{rest}")
}

#[test]
fn keys_of_one_kind_are_refused_with_another() {
    for (rest, parts) in [
        (
            "num_ctx = 4096\n",
            ["providers.a.num_ctx", "not a key of the kind anthropic"],
        ),
        (
            "api = \"responses\"\n",
            ["providers.a.api", "not a key of the kind anthropic"],
        ),
        (
            "[providers.a.media]\nspeech = \"s\"\n",
            ["providers.a.media", "not a key of the kind anthropic"],
        ),
        (
            "[providers.a.models.m]\ntool_schemas = \"json\"\n",
            [
                "providers.a.models.m.tool_schemas",
                "not a key of a model of the kind anthropic",
            ],
        ),
        (
            "[providers.a.models.m]\nthinking = \"levle\"\n",
            [
                "providers.a.models.m.thinking",
                "must be none or budget or adaptive, not \"levle\"",
            ],
        ),
        (
            "[providers.c]\nkind = \"openai\"\nmodel = \"m\"\napi = \"response\"\n",
            ["providers.c.api", "the nearest is responses"],
        ),
        (
            "[providers.deepseek.models.m]\nlimit_field = \"maxtokens\"\n",
            ["providers.deepseek.models.m.limit_field", "the nearest is max_tokens"],
        ),
        (
            "[providers.huggingface]\ndedicated = true\n",
            ["providers.huggingface.dedicated", "is for the api text_generation only"],
        ),
        (
            "[providers.huggingface]\napi = \"text_generation\"\n",
            ["providers.huggingface.base_url", "is missing"],
        ),
        (
            "[providers.deepseek]\nsite_name = \"n\"\n",
            ["providers.deepseek.site_name", "not a key of the kind deepseek"],
        ),
    ] {
        check_file(&pair(rest), &parts);
    }
}

#[test]
fn stand_ins_must_be_there_and_able_to_stand_in() {
    for (rest, parts) in [
        ("fallback = [\"bb\"]\n", ["providers.a.fallback", "the nearest is b"]),
        ("fallback = [\"a\"]\n", ["providers.a.fallback", "the provider itself"]),
        ("fallback = [\"b\", \"b\"]\n", ["providers.a.fallback", "\"b\" twice"]),
        (
            "fallback = \"b\"\n",
            ["providers.a.fallback", "must be a list of texts"],
        ),
        ("at_once = 0\n", ["providers.a.at_once", "from 1 to 65536"]),
        (
            "fallback = [\"c\"]\n[providers.c]\nkind = \"google\"\n",
            ["providers.c.model", "providers.a.fallback names \"c\""],
        ),
    ] {
        check_file(&pair(rest), &parts);
    }
}

#[test]
fn prices_are_whole_and_not_negative() {
    let model = "[providers.a.models.m]\n";
    for (prices, parts) in [
        ("price_input = 1\n", ["models.m.price_output", "is missing"]),
        ("price_cache_read = 0.1\n", ["models.m.price_input", "is missing"]),
        (
            "price_input = -1\n",
            ["models.m.price_input", "a number from 0 to 1000000"],
        ),
        (
            "price_input = nan\n",
            ["models.m.price_input", "a number from 0 to 1000000"],
        ),
        ("price_input = \"1\"\n", ["models.m.price_input", "not a text"]),
    ] {
        check_file(&pair(&format!("{model}{prices}")), &parts);
    }
}

#[test]
fn addresses_and_lines_must_fit_where_they_go() {
    for (section, parts) in [
        (
            "[providers.a]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1/chat/completions/\"\n",
            ["providers.a.base_url", "must end in front of /chat/completions"],
        ),
        (
            "[providers.a]\nkind = \"anthropic\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1/messages\"\n",
            ["providers.a.base_url", "must end in front of /v1/messages"],
        ),
        (
            "[providers.demo]\nmodel = \" m\\nn\"\n",
            ["providers.demo.model", "must be one line"],
        ),
        (
            "[providers.openrouter]\nmodel = \"m\"\nsite_name = \"two\\nlines\"\n",
            ["providers.openrouter.site_name", "must be one line of text"],
        ),
    ] {
        check_file(section, &parts);
    }
}
