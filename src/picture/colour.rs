//! Colours and colour maps.
//!
//! Both maps interpolate linearly in sRGB between a few colours whose lightness increases evenly (in the diverging map,
//! decreases evenly from the middle), which is nearly uniform to the eye.

/// sRGB components from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour(pub(super) [f64; 3]);

/// From low to high: dark violet, blue, green, yellow.
const SEQUENTIAL: [u32; 9] = [0x4a1a6b, 0x4b3a8a, 0x3f5896, 0x2f7595, 0x229290, 0x2baf80, 0x5ec864, 0xabdc32, 0xfde725];
/// From negative to positive: blue, nearly white, red.
const DIVERGING: [u32; 9] = [0x1f3b8c, 0x3f6bb5, 0x7aa2d4, 0xb9cee6, 0xf1efec, 0xeec6b4, 0xdc9078, 0xbf514a, 0x8c142c];

/// A colour map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ColourMap {
    /// For quantities that start at zero.
    Sequential,
    /// For signed quantities.
    Diverging,
}

impl ColourMap {
    /// Colours of the map, as 0xRRGGBB.
    pub(crate) fn colours(self) -> [u32; 9] {
        match self {
            ColourMap::Sequential => SEQUENTIAL,
            ColourMap::Diverging => DIVERGING,
        }
    }

    /// Colour at a fraction of the range, 0 to 1; values outside take the colour of the nearer end.
    pub(super) fn at(self, share: f64) -> Colour {
        let colours = self.colours();
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        let position = share * (colours.len() - 1) as f64;
        let left = (position as usize).min(colours.len() - 2);
        Colour::hex(colours[left]).mix(Colour::hex(colours[left + 1]), position - left as f64)
    }
}

impl Colour {
    /// Converts from 0xRRGGBB.
    pub(super) fn hex(code: u32) -> Self {
        Self([16, 8, 0].map(|shift| f64::from(code >> shift & 0xff) / 255.0))
    }

    /// Linear interpolation towards `other` by `share`.
    pub(super) fn mix(self, other: Self, share: f64) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + share * (other.0[k] - self.0[k])))
    }

    /// Components as bytes.
    pub(super) fn bytes(self) -> [u8; 3] {
        self.0.map(|part| (255.0 * part.clamp(0.0, 1.0)).round() as u8)
    }

    /// SVG notation, #RRGGBB.
    pub(super) fn text(self) -> String {
        let [red, green, blue] = self.bytes();
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Converts to linear light, in which contributions add.
    pub(super) fn linear(self) -> [f64; 3] {
        self.0.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) })
    }

    /// Converts from linear light to sRGB.
    pub(super) fn from_linear(light: [f64; 3]) -> Self {
        Self(light.map(|part| match part.clamp(0.0, 1.0) {
            part if part <= 0.003_130_8 => 12.92 * part,
            part => 1.055 * part.powf(1.0 / 2.4) - 0.055,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE 1976 lightness, 0 to 100.
    fn lightness(colour: Colour) -> f64 {
        let [red, green, blue] = colour.linear();
        116.0 * (0.2126 * red + 0.7152 * green + 0.0722 * blue).cbrt() - 16.0
    }

    #[test]
    fn maps_end_where_they_should_and_go_no_further() {
        assert_eq!(ColourMap::Sequential.at(0.0), Colour::hex(SEQUENTIAL[0]));
        assert_eq!(ColourMap::Sequential.at(1.0), Colour::hex(SEQUENTIAL[8]));
        assert_eq!(ColourMap::Diverging.at(0.5), Colour::hex(DIVERGING[4]));
        assert_eq!(ColourMap::Diverging.at(7.0), Colour::hex(DIVERGING[8]));
        assert_eq!(ColourMap::Sequential.at(f64::NAN), Colour::hex(SEQUENTIAL[0]));
    }

    #[test]
    fn the_sequential_map_grows_evenly_lighter_and_the_diverging_one_is_lightest_in_the_middle() {
        let light: Vec<f64> = (0..=8).map(|k| lightness(ColourMap::Sequential.at(f64::from(k) / 8.0))).collect();
        let steps: Vec<f64> = light.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|&step| (6.0..14.0).contains(&step)), "{light:?}");
        let light: Vec<f64> = (0..=8).map(|k| lightness(ColourMap::Diverging.at(f64::from(k) / 8.0))).collect();
        assert!(light[..5].is_sorted() && light[4..].iter().rev().is_sorted(), "{light:?}");
        assert!((light[0] - light[8]).abs() < 8.0, "{light:?}");
    }

    #[test]
    fn linear_light_converts_back_to_srgb() {
        let colour = Colour::hex(0x1280fe);
        assert_eq!(Colour::from_linear(colour.linear()).bytes(), [0x12, 0x80, 0xfe]);
        assert_eq!(colour.text(), "#1280fe");
    }
}
