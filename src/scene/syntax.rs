//! Translation of the messages of the TOML parser.

/// Explains a message of the TOML parser about some text, which may be empty: message, label, help.
pub(crate) fn explain_syntax(message: &str, is_empty: bool) -> (String, String, String) {
    const KNOWN: [(&str, &str, &str, &str); 14] = [
        ("duplicate key", "this name is given twice", "the second time", "keep one, or merge the two"),
        ("floating-point number overflowed", "this number is too large", "too large", "numbers go up to 1.7e308"),
        ("integer number overflowed", "this number is too large", "too large", "whole numbers go up to 9.2e18"),
        (
            "string values must be quoted",
            "this value cannot be read",
            "neither a number, nor true or false, nor text in quotes",
            "put text in \"quotes\"; numbers look like 3, 0.5 or 1e-3; arrays like [1, 2]",
        ),
        ("unclosed array", "this array has no end", "`]` is missing", "close it with `]`"),
        ("unclosed inline table", "this table has no end", "`}` is missing", "close it with `}`"),
        (
            "unclosed table",
            "this table's name has no end",
            "`]` is missing",
            "write [name], or [[name]] for one of many",
        ),
        ("invalid basic string", "this text has no end", "a quote is missing", "close it with `\"`"),
        ("invalid literal string", "this text has no end", "a quote is missing", "close it with `'`"),
        ("key with no value", "this key has no value", "`=` is missing", "write key = value"),
        (
            "invalid mantissa",
            "this number cannot be read",
            "a digit is missing",
            "a number needs a digit before and after its point: 0.5, 1.0",
        ),
        (
            "unexpected key or value",
            "there is more on this line than one key and its value",
            "unexpected",
            "one `key = value` per line; several values go into an array, [1, 2]",
        ),
        ("extra `=`", "there is one `=` too many", "unexpected", "write key = value"),
        ("unexpected leading zero", "this number cannot be read", "a leading zero", "write 1, not 01"),
    ];
    if is_empty && message.starts_with("string values must be quoted") {
        return ("this key has no value".into(), "a value is missing".into(), "write key = value".into());
    }
    let known = KNOWN.iter().find(|(start, ..)| message.starts_with(start));
    match known {
        Some((_, message, label, help)) => ((*message).into(), (*label).into(), (*help).into()),
        None if message.starts_with("invalid") => {
            let help = "numbers look like 3, 0.5 or 1e-3, with a point and no spaces";
            ("this value cannot be read".into(), message.replace(", expected nothing", ""), help.into())
        }
        None => ("this is not TOML".into(), message.into(), "see https://toml.io for how TOML is written".into()),
    }
}
