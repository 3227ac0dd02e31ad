//! One server more in a configuration, with everything else left as it was written: order, comments, spaces.

use super::clients::Form;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use stillpoint_core::{Error, Result};

/// The name under which the server is written down.
const NAME: &str = "stillpoint";
/// What the program is started with.
const ARGUMENT: &str = "mcp";

/// The text of a configuration with the server that `program` is.
pub(super) fn with_server(text: &str, form: Form, program: &str) -> Result<String> {
    match form {
        Form::Json { under, also } => json(text, under, also, program),
        Form::Toml { under } => toml(text, under, program),
    }
}

fn json(text: &str, under: &str, also: Option<(&str, &str)>, program: &str) -> Result<String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|e| unreadable(&e.to_string()))?;
    let top = root.object_value().ok_or_else(|| unreadable("it is not an object"))?;
    let servers = match top.get(under) {
        None => top.object_value_or_set(under),
        Some(there) => {
            there.object_value().ok_or_else(|| unreadable(&format!("{under} is not an object")))?
        }
    };
    let string = |text: &str| CstInputValue::String(text.to_owned());
    let mut fields: Vec<(String, CstInputValue)> = Vec::new();
    fields.extend(also.map(|(name, value)| (name.to_owned(), string(value))));
    fields.push(("command".to_owned(), string(program)));
    fields.push(("args".to_owned(), CstInputValue::Array(vec![string(ARGUMENT)])));
    match servers.get(NAME) {
        None => drop(servers.append(NAME, CstInputValue::Object(fields))),
        Some(there) => match there.object_value() {
            None => there.set_value(CstInputValue::Object(fields)),
            // What a person added, such as variables, stays.
            Some(server) => {
                for (name, value) in fields {
                    match server.get(&name) {
                        Some(field) => field.set_value(value),
                        None => drop(server.append(&name, value)),
                    }
                }
            }
        },
    }
    Ok(root.to_string())
}

fn toml(text: &str, under: &str, program: &str) -> Result<String> {
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|e: toml_edit::TomlError| unreadable(e.message()))?;
    let servers = document.entry(under).or_insert_with(|| {
        let mut table = toml_edit::Table::new();
        // Only the servers have headings.
        table.set_implicit(true);
        toml_edit::Item::Table(table)
    });
    let servers =
        servers.as_table_like_mut().ok_or_else(|| unreadable(&format!("{under} is not a table")))?;
    let server = servers.entry(NAME).or_insert_with(toml_edit::table);
    let server = server.as_table_like_mut().ok_or_else(|| unreadable(&format!("{NAME} is not a table")))?;
    server.insert("command", toml_edit::value(program));
    server.insert("args", toml_edit::value(toml_edit::Array::from_iter([ARGUMENT])));
    Ok(document.to_string())
}

fn unreadable(why: &str) -> Error {
    Error::invalid(
        format!("the configuration cannot be understood, and is left as it is: {why}"),
        "mend the file, or add by hand what --print shows",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: Form = Form::Json { under: "mcpServers", also: None };
    const TOML: Form = Form::Toml { under: "mcp_servers" };

    #[test]
    fn an_empty_configuration_gets_the_server() {
        let merged: serde_json::Value =
            serde_json::from_str(&with_server("", JSON, "/bin/sp").unwrap()).unwrap();
        assert_eq!(
            merged,
            serde_json::json!({ "mcpServers": { "stillpoint": { "command": "/bin/sp", "args": ["mcp"] } } })
        );
        assert_eq!(
            with_server("", TOML, "/bin/sp").unwrap(),
            "[mcp_servers.stillpoint]\ncommand = \"/bin/sp\"\nargs = [\"mcp\"]\n"
        );
    }

    #[test]
    fn order_comments_and_other_servers_stay() {
        let before = "{\n  // mine\n  \"zeta\": 1,\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  },\n  \"alpha\": [1, 2]\n}\n";
        let after = with_server(before, JSON, "/bin/sp").unwrap();
        for kept in ["// mine\n  \"zeta\": 1", "\"other\": { \"command\": \"x\" }", "\"alpha\": [1, 2]"] {
            assert!(after.contains(kept), "{after}");
        }
        assert!(after.find("zeta") < after.find("alpha"), "{after}");
        let before = "# mine\nmodel = \"m\"\n\n[mcp_servers.other]\ncommand = \"x\" # theirs\n";
        let after = with_server(before, TOML, "/bin/sp").unwrap();
        assert!(after.starts_with(before), "{after}");
    }

    #[test]
    fn doing_it_twice_changes_nothing_and_keeps_what_a_person_added() {
        for form in [JSON, TOML] {
            let once = with_server("", form, "/bin/sp").unwrap();
            assert_eq!(with_server(&once, form, "/bin/sp").unwrap(), once);
        }
        let own = r#"{"mcpServers": {"stillpoint": {"command": "old", "args": ["mcp"], "env": {"A": "b"}}}}"#;
        let after = with_server(own, JSON, "/bin/sp").unwrap();
        assert!(
            after.contains(r#""env": {"A": "b"}"#) && after.contains("/bin/sp") && !after.contains("old"),
            "{after}"
        );
    }

    #[test]
    fn what_cannot_be_understood_is_refused() {
        for (form, text) in [
            (JSON, "{"),
            (JSON, "[]"),
            (JSON, "{\"mcpServers\": 7}"),
            (TOML, "= 1"),
            (TOML, "mcp_servers = 7"),
        ] {
            assert!(with_server(text, form, "/bin/sp").is_err(), "{text}");
        }
    }
}
