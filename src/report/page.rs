//! The HTML page: text and tables as HTML, numbers as JSON, frames as Base64, and the scripts that draw them.

use serde_json::{Value, json};

use super::film::Film;
use crate::graphics::escaped;

const STYLE: &str = concat!(include_str!("vendor/uPlot.min.css"), "\n", include_str!("page/style.css"));
const SCRIPTS: [&str; 15] = [
    concat!("/*\n", include_str!("vendor/uPlot-LICENSE.txt"), "*/"),
    // uPlot draws at the resolution of the screen, which is coarse on paper: it is given a higher one.
    "const uPlot = ((devicePixelRatio) => {",
    include_str!("vendor/uPlot.iife.min.js"),
    "return uPlot;\n})(Math.max(2, devicePixelRatio));",
    include_str!("page/words.js"),
    include_str!("page/chart.js"),
    include_str!("page/clocks.js"),
    include_str!("page/frames.js"),
    include_str!("page/colour.js"),
    include_str!("page/plane.js"),
    include_str!("page/orbit.js"),
    include_str!("page/shaders.js"),
    include_str!("page/space.js"),
    include_str!("page/flat.js"),
    include_str!("page/player.js"),
];
const STAGE: &str = include_str!("page/stage.html");

/// Approximate size of a page without data, bytes.
pub(super) const LENGTH: usize = {
    let (mut length, mut k) = (STYLE.len() + STAGE.len() + 8_000, 0);
    while k < SCRIPTS.len() {
        length += SCRIPTS[k].len();
        k += 1;
    }
    length
};

/// Builds the whole file.
pub(super) fn html(
    facts: &Value,
    sections: &[Value],
    pictures: &Value,
    film: Option<&Film>,
    notes: &[String],
) -> String {
    let title = text_of(&facts["title"]);
    let mut body = header(facts, notes);
    body += &contents(sections, !pictures.is_null(), film.is_some());
    body += "<main>\n";
    if film.is_some() {
        body += STAGE;
    }
    body += &figures(pictures);
    body += "<div id=\"charts\"></div>\n<noscript><p class=\"note\">Charts and film need scripts.</p></noscript>\n";
    body += &tables(facts);
    body += &format!(
        "<section id=\"scene\"><h2>Scene</h2>\n<details><summary>scene.toml as it was run</summary>\n<pre>{}</pre></details>\
         </section>\n</main>\n<footer>Made by {}; this file is self-contained.</footer>\n",
        text_of(&facts["scene"]),
        text_of(&facts["program"])
    );
    let data = json!({ "sections": sections, "film": film.map(|film| &film.facts) });
    body += &format!("<script type=\"application/json\" id=\"data\">{}</script>\n", script_json(&data));
    if let Some(film) = film {
        body += &format!("<script type=\"text/plain\" id=\"frames\">{}</script>\n", base64(&film.bytes));
    }
    body += &format!("<script>\n\"use strict\";\n(() => {{\n{}\nstart();\n}})();\n</script>\n", SCRIPTS.join("\n"));
    // The content security policy forbids loading anything.
    let policy = "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}: report</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn header(facts: &Value, notes: &[String]) -> String {
    let state = if facts["is_well"] == json!(true) { "well" } else { "ill" };
    let mut text = format!(
        "<header>\n<h1>{} <span class=\"badge {state}\">{}</span></h1>\n<p>{}</p>\n<dl class=\"tiles\">\n",
        text_of(&facts["title"]),
        text_of(&facts["ending"]),
        text_of(&facts["about"])
    );
    for tile in list(&facts["tiles"]) {
        let number = number(tile["value"].as_f64().unwrap_or(0.0));
        text += &format!("<div><dt>{}</dt><dd>{number}</dd></div>\n", text_of(&tile["name"]));
    }
    text += "</dl>\n";
    for warning in list(&facts["warnings"]) {
        text += &format!("<p class=\"warning\">{}</p>\n", text_of(warning));
    }
    for note in notes {
        text += &format!("<p class=\"note\">{}</p>\n", escaped(note));
    }
    text + "</header>\n"
}

fn contents(sections: &[Value], has_pictures: bool, has_film: bool) -> String {
    let mut links = Vec::new();
    let mut add = |id: &str, title: &str| links.push(format!("<a href=\"#{}\">{}</a>", escaped(id), escaped(title)));
    if has_film {
        add("film", "Film");
    }
    if has_pictures {
        add("pictures", "First and last frame");
    }
    for section in sections {
        add(section["id"].as_str().unwrap_or_default(), section["title"].as_str().unwrap_or_default());
    }
    add("numbers", "Numbers");
    add("scene", "Scene");
    format!("<nav aria-label=\"Contents\">{}</nav>\n", links.join("\n"))
}

fn figures(pictures: &Value) -> String {
    let mut text = String::new();
    for (k, picture) in list(pictures).enumerate() {
        let time = number(picture["time"].as_f64().unwrap_or(0.0));
        let which = if k == 0 { "First" } else { "Last" };
        text += &format!(
            "<figure><img alt=\"{which} frame with force chains\" src=\"data:image/png;base64,{}\">\
             <figcaption>{which} frame, {time} s: lines are forces, their width is proportional to the force; red above the mean.\
             </figcaption></figure>\n",
            picture["png"].as_str().unwrap_or_default()
        );
    }
    match text.is_empty() {
        true => text,
        false => {
            format!(
                "<section id=\"pictures\"><h2>First and last frame</h2>\n<div class=\"pair\">\n{text}</div></section>\n"
            )
        }
    }
}

fn tables(facts: &Value) -> String {
    let mut text = "<section id=\"numbers\"><h2>Numbers</h2>\n<div class=\"tables\">\n".to_owned();
    let mut table = |caption: &str, rows: Vec<[String; 2]>| {
        if rows.is_empty() {
            return;
        }
        text += &format!("<table><caption>{}</caption>\n", escaped(caption));
        for [name, value] in rows {
            text += &format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(&name), escaped(&value));
        }
        text += "</table>\n";
    };
    let plain = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pairs = |value: &Value| list(value).map(|row| [plain(&row[0]), plain(&row[1])]).collect::<Vec<_>>();
    table("Certificate of the whole run", pairs(&facts["certificate"]));
    table("Machine", pairs(&facts["machine"]));
    for state in list(&facts["state"]) {
        let rows = list(&state["rows"]).map(|row| {
            let value = number(row[1].as_f64().unwrap_or(f64::NAN));
            [plain(&row[0]), format!("{value} {}", plain(&row[2]))]
        });
        table(state["title"].as_str().unwrap_or_default(), rows.collect());
    }
    text + "</div></section>\n"
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A number in readable form.
fn number(x: f64) -> String {
    if x == x.trunc() && x.abs() < 1e15 {
        let digits = format!("{}", x.abs());
        let first = digits.len() % 3;
        let mut text = digits[..first].to_owned();
        for k in (first..digits.len()).step_by(3) {
            if !text.is_empty() {
                text.push('\u{202f}');
            }
            text += &digits[k..k + 3];
        }
        return if x < 0.0 { format!("−{text}") } else { text };
    }
    if !(1e-3..1e6).contains(&x.abs()) {
        return format!("{x:.3e}");
    }
    let decimals = (3 - x.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{x:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// A text of the facts, escaped for HTML.
fn text_of(value: &Value) -> String {
    escaped(value.as_str().unwrap_or_default())
}

/// JSON that cannot close the surrounding script element.
fn script_json(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// Encodes bytes as Base64.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let all = (0..3).fold(0u32, |all, k| all << 8 | u32::from(three.get(k).copied().unwrap_or(0)));
        for k in 0..4 {
            let letter = LETTERS[(all >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_letters_as_the_standard_says() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn numbers_read_well() {
        let texts = [0.0, 12.0, 1234567.0, -5000.0, 0.12345, 98.7, 10_000.4, 1e-7].map(number);
        assert_eq!(
            texts,
            ["0", "12", "1\u{202f}234\u{202f}567", "−5\u{202f}000", "0.1235", "98.7", "10000", "1.000e-7"]
        );
    }

    #[test]
    fn nothing_in_a_scene_leaves_its_element() {
        let facts =
            json!({ "title": "</title><script>", "scene": "# </pre><script>alert(1)</script>", "ending": "finished" });
        let section = json!({ "id": "x", "title": "</script>", "charts": [] });
        let text = html(&facts, &[section], &Value::Null, None, &["a < b".into()]);
        assert_eq!(text.matches("<script").count(), 2);
        assert_eq!(text.matches("</script>").count(), 2);
        assert!(text.contains("a &lt; b") && !text.contains("alert(1)</"));
    }
}
