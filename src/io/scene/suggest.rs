//! "Did you mean ...?"

/// The one of `known` that `word` was probably meant to be.
pub(super) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may be wrong; more is another word.
    let allowed = (word.chars().count() / 3).max(1);
    let distances = known.into_iter().map(|name| (distance(&word.to_lowercase(), &name.to_lowercase()), name));
    distances.filter(|(d, _)| *d <= allowed).min_by_key(|(d, _)| *d).map(|(_, name)| name)
}

/// A sentence that names the probable meaning of `word`, if there is one, and all that is known.
pub(super) fn did_you_mean(word: &str, known: &[&str], what: &str) -> String {
    let list = list(known);
    match suggestion(word, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`? {what}: {list}"),
        None => format!("{what}: {list}"),
    }
}

/// Names with commas between.
pub(super) fn list(names: &[&str]) -> String {
    names.join(", ")
}

/// Number of letters to insert, delete, replace, or swap with the next one, to make one word of the other.
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
    }

    #[test]
    fn the_distance_counts_a_swap_as_one() {
        assert_eq!([distance("ab", "ba"), distance("abc", "abc"), distance("", "xyz")], [1, 0, 3]);
    }
}
