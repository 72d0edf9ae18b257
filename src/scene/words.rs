//! Wording of messages: suggestions ("did you mean ...?"), lists, and numbers in a few digits.

/// The entry of `known` that was probably meant by `word`.
pub(crate) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // About a third of the letters may differ; beyond that it is another word, and two letters are too few to tell.
    let length = |text: &str| text.chars().count();
    let distances = known.into_iter().map(|name| (distance(&word.to_lowercase(), &name.to_lowercase()), name));
    let near = distances.filter(|(d, name)| length(word) > 2 && *d <= (length(word).max(length(name)) + 1) / 3);
    near.min_by_key(|(d, _)| *d).map(|(_, name)| name)
}

/// A sentence that suggests the probable meaning of `word`, if there is one, and lists all known words.
pub(crate) fn did_you_mean(word: &str, known: &[&str], what: &str) -> String {
    let list = list(known);
    match suggestion(word, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`? {what}: {list}"),
        None => format!("{what}: {list}"),
    }
}

/// Names separated by commas.
pub(crate) fn list(names: &[&str]) -> String {
    names.join(", ")
}

/// A number with three significant digits.
pub(crate) fn short(x: f64) -> String {
    if x == 0.0 || !(1e-3..1e6).contains(&x.abs()) {
        return format!("{x:.2e}").replace(".00e", "e");
    }
    let decimals = (2 - x.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Edit distance: number of letters to insert, delete, replace, or swap with the next one to turn one word into the
/// other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(table[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised_and_another_word_is_not() {
        let known = ["gravity", "dimension", "bounds"];
        assert_eq!(suggestion("gravty", known), Some("gravity"));
        assert_eq!(suggestion("Gravity", known), Some("gravity"));
        assert_eq!(suggestion("garvity", known), Some("gravity"));
        assert_eq!(suggestion("speed", known), None);
        assert_eq!(suggestion("+z", ["+x", "+y"]), None);
    }

    #[test]
    fn numbers_keep_three_digits() {
        let texts = [0.05, 2.4525, 123456.0, 1.0e-7, 100.0, 0.10096, 4.294967296e9].map(short);
        assert_eq!(texts, ["0.05", "2.45", "123456", "1e-7", "100", "0.101", "4.29e9"]);
    }

    #[test]
    fn the_distance_counts_a_swap_as_one() {
        assert_eq!([distance("ab", "ba"), distance("abc", "abc"), distance("", "xyz")], [1, 0, 3]);
    }
}
