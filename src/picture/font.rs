//! Stroke font for rasterised text.
//!
//! A stroke is a list of points on a small grid, two digits each: x from the left, y from the lowest descender. The
//! baseline is at 2, the x-height at 6, capitals and digits reach 8. Bends within a stroke are rounded; a sharp corner
//! starts a new stroke, after a slash.

use super::sheet::LabelPlace;

/// Space between glyphs, grid units.
const SPACE: f64 = 1.75;
/// Size of a grid unit relative to the font size.
const UNIT: f64 = 0.118;
/// Height of the baseline, grid units.
const FOOT: f64 = 2.0;

/// Strokes of the glyphs from `!` to `~`.
#[rustfmt::skip]
const LETTERS: [&str; 94] = [
    /* ! */ "08 04/02 02", /* " */ "08 06/28 26", /* # */ "12 18/32 38/04 44/06 46",
    /* $ */ "46 37 17 06 15 35 44 33 13 04/28 22", /* % */ "02 48/08 17/43 32",
    /* & */ "42 06 07 18 28 37 36 04 03 12 22 44", /* ' */ "08 06", /* ( */ "18 06 03 11",
    /* ) */ "08 16 13 01", /* * */ "26 22/05 43/03 45", /* + */ "04 44/26 22", /* , */ "12 00",
    /* - */ "04 34", /* . */ "02 02", /* / */ "01 48",
    /* 0 */ "18 07 03 12 32 43 47 38 18", /* 1 */ "06 28/28 22", /* 2 */ "07 18 38 47 46 02/02 42",
    /* 3 */ "07 18 38 47 46 35 15/35 44 43 32 12 03", /* 4 */ "32 38/38 04/04 44",
    /* 5 */ "48 08/08 05/05 35 44 43 32 12 03", /* 6 */ "47 38 18 07 03 12 32 43 44 35 15 04",
    /* 7 */ "08 48/48 12", /* 8 */ "15 06 07 18 38 47 46 35 15/15 04 03 12 32 43 44 35 15",
    /* 9 */ "03 12 32 43 47 38 18 07 06 15 35 46",
    /* : */ "02 02/05 05", /* ; */ "12 00/15 15", /* < */ "46 04/04 42", /* = */ "05 45/03 43",
    /* > */ "06 44/44 02", /* ? */ "07 18 28 37 36 25 24/22 22", /* @ */ "43 32 12 03 07 18 38 47 45 24 26 46",
    /* A */ "02 28/28 42/14 34", /* B */ "02 08/08 38 47 46 35 05/35 44 43 32 02", /* C */ "47 38 18 07 03 12 32 43",
    /* D */ "02 08/08 28 47 43 22 02", /* E */ "48 08/08 02/02 42/05 35", /* F */ "48 08/08 02/05 35",
    /* G */ "47 38 18 07 03 12 32 43 45/45 25", /* H */ "08 02/48 42/05 45", /* I */ "08 02", /* J */ "38 33 22 12 03",
    /* K */ "08 02/48 04/15 42", /* L */ "08 02/02 42", /* M */ "02 08/08 25/25 48/48 42", /* N */ "02 08/08 42/42 48",
    /* O */ "18 07 03 12 32 43 47 38 18", /* P */ "02 08/08 38 47 46 35 05",
    /* Q */ "18 07 03 12 32 43 47 38 18/24 42", /* R */ "02 08/08 38 47 46 35 05/25 42",
    /* S */ "47 38 18 07 06 15 35 44 43 32 12 03", /* T */ "08 48/28 22", /* U */ "08 03 12 32 43 48",
    /* V */ "08 22/22 48", /* W */ "08 12/12 26/26 32/32 48", /* X */ "08 42/48 02", /* Y */ "08 25/25 48/25 22",
    /* Z */ "08 48/48 02/02 42", /* [ */ "18 08/08 01/01 11", /* \ */ "08 41", /* ] */ "08 18/18 11/11 01",
    /* ^ */ "06 28/28 46", /* _ */ "01 41", /* ` */ "08 17",
    /* a */ "16 05 03 12 22 33 35 26 16/36 32", /* b */ "08 02/16 05 03 12 22 33 35 26 16", /* c */ "35 26 16 05 03 12 22 33",
    /* d */ "38 32/16 05 03 12 22 33 35 26 16", /* e */ "04 34/34 35 26 16 05 03 12 22 33", /* f */ "28 17 12/06 26",
    /* g */ "16 05 03 12 22 33 35 26 16/36 31 20 10 01", /* h */ "08 02/05 16 26 35 32", /* i */ "06 02/08 08",
    /* j */ "16 11 00/18 18", /* k */ "08 02/36 03/14 32", /* l */ "08 02", /* m */ "06 02/05 16 26 35 32/35 46 56 65 62",
    /* n */ "06 02/05 16 26 35 32", /* o */ "16 05 03 12 22 33 35 26 16", /* p */ "06 00/16 05 03 12 22 33 35 26 16",
    /* q */ "36 30/16 05 03 12 22 33 35 26 16", /* r */ "06 02/05 16 26", /* s */ "35 26 16 05 14 24 33 22 12 03",
    /* t */ "18 13 22/06 26", /* u */ "06 03 12 22 33/36 32", /* v */ "06 22/22 46", /* w */ "06 12/12 25/25 32/32 46",
    /* x */ "06 32/36 02", /* y */ "06 22/46 10", /* z */ "06 36/36 02/02 32",
    /* { */ "28 17 15 04/04 13 11 20", /* | */ "08 00", /* } */ "08 17 15 24/24 13 11 00", /* ~ */ "04 15 33 44",
];
/// Glyph for characters outside the font.
const UNKNOWN: &str = "02 08/08 38/38 32/32 02";

/// Pen width for a font size.
pub(super) fn pen(size: f64, bold: bool) -> f64 {
    size * if bold { 0.125 } else { 0.085 }
}

/// Line segments of a line of text.
pub(super) fn strokes(text: &str, at: LabelPlace, size: f64) -> Vec<[LabelPlace; 2]> {
    let unit = UNIT * size;
    let mut left = at[0];
    let mut pieces = Vec::new();
    for letter in text.chars() {
        for stroke in points(letter) {
            let place = |[x, y]: LabelPlace| [left + unit * x, at[1] - unit * (y - FOOT)];
            let stroke: Vec<LabelPlace> = rounded(rounded(stroke)).into_iter().map(place).collect();
            pieces.extend(stroke.windows(2).map(|pair| [pair[0], pair[1]]));
        }
        left += unit * advance(letter);
    }
    pieces
}

fn advance(letter: char) -> f64 {
    let widest = points(letter).iter().flatten().map(|point| point[0]).fold(0.0, f64::max);
    if letter == ' ' { 2.0 + SPACE } else { widest + SPACE }
}

fn points(letter: char) -> Vec<Vec<LabelPlace>> {
    let digit = |byte: &u8| f64::from(byte.saturating_sub(b'0'));
    let place = |pair: &str| pair.as_bytes().as_chunks::<2>().0.first().map(|[x, y]| [digit(x), digit(y)]);
    let stroke = |stroke: &str| stroke.split(' ').filter_map(place).collect();
    let number = (letter as usize).checked_sub('!' as usize);
    match letter {
        ' ' => Vec::new(),
        _ => number.and_then(|k| LETTERS.get(k)).unwrap_or(&UNKNOWN).split('/').map(stroke).collect(),
    }
}

/// Cuts every inner corner of a polyline at a quarter of its sides; a closed one also where it closes.
fn rounded(line: Vec<LabelPlace>) -> Vec<LabelPlace> {
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else { return line };
    if line.len() < 3 {
        return line;
    }
    let between = |a: LabelPlace, b: LabelPlace, share: f64| [0, 1].map(|k| a[k] + share * (b[k] - a[k]));
    let is_closed = first == last;
    let mut cut: Vec<LabelPlace> = Vec::with_capacity(2 * line.len());
    for pair in line.windows(2) {
        cut.extend([between(pair[0], pair[1], 0.25), between(pair[0], pair[1], 0.75)]);
    }
    if is_closed {
        cut.push(cut[0]);
    } else {
        let end = cut.len() - 1;
        (cut[0], cut[end]) = (first, last);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_strokes_on_the_grid_and_its_own_look() {
        let mut seen = Vec::new();
        for letter in '!'..='~' {
            let strokes = points(letter);
            assert!(strokes.iter().flatten().all(|&[x, y]| x <= 6.0 && y <= 8.0), "{letter}");
            assert!(strokes.iter().all(|stroke| stroke.len() >= 2), "{letter}");
            if !"0OIl|".contains(letter) {
                assert!(!seen.contains(&strokes), "{letter} looks like another one");
                seen.push(strokes);
            }
        }
    }

    #[test]
    fn letters_stand_on_the_line_beside_each_other() {
        let pieces = strokes("HH", [50.0, 50.0], 20.0);
        let (xs, ys): (Vec<f64>, Vec<f64>) = pieces.iter().flatten().map(|point| (point[0], point[1])).unzip();
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        assert!((least(&xs) - 50.0).abs() < 1e-9 && (most(&ys) - 50.0).abs() < 1e-9);
        assert!((most(&xs) - 50.0 - 20.0 * UNIT * (8.0 + SPACE)).abs() < 1e-9);
    }
}
