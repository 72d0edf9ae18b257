//! Quantities that colour bodies: name, unit, value and kind of colour map.

use super::colour::ColourMap;
use super::{DrawnBody, NodalMeans};

/// A quantity of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FieldQuantity {
    /// Magnitude of the velocity.
    Speed,
    /// Velocity along the first axis.
    VelocityX,
    /// Velocity along the second axis.
    VelocityY,
    /// Velocity along the third axis.
    VelocityZ,
    /// Angular velocity: counter-clockwise in two dimensions, its magnitude in three.
    Spin,
    /// Angular velocity about the first axis.
    SpinX,
    /// Angular velocity about the second axis.
    SpinY,
    /// Angular velocity about the third axis.
    SpinZ,
    /// Number of contacts within the alert distance in the last step.
    Contacts,
    /// Radius; for angular bodies, the distance of the farthest corner from the centre.
    Radius,
    /// Id of the body.
    Id,
    /// Pressure in the joints of angular bodies, in three dimensions: joints are coloured, bodies are transparent.
    Pressure,
    /// Von Mises stress of deformable bodies; rigid bodies are grey.
    Stress,
    /// Largest absolute value of a principal strain of deformable bodies; rigid bodies are grey.
    Strain,
    /// Contact pressure at the nodes of deformable bodies; rigid bodies are grey.
    ContactPressure,
    /// The same colour for all bodies.
    None,
}

impl FieldQuantity {
    /// Value for a body in a 2D or 3D scene.
    pub(crate) fn of(self, body: &DrawnBody, dimension: u8) -> f64 {
        match self {
            FieldQuantity::Speed => body.velocity.norm(),
            FieldQuantity::VelocityX => body.velocity.x,
            FieldQuantity::VelocityY => body.velocity.y,
            FieldQuantity::VelocityZ => body.velocity.z,
            FieldQuantity::Spin if dimension == 2 => body.spin.z,
            FieldQuantity::Spin => body.spin.norm(),
            FieldQuantity::SpinX => body.spin.x,
            FieldQuantity::SpinY => body.spin.y,
            FieldQuantity::SpinZ => body.spin.z,
            FieldQuantity::Contacts => body.contacts as f64,
            FieldQuantity::Radius => body.radius,
            FieldQuantity::Id => body.id as f64,
            // Pressure belongs to joints, and nodal quantities to faces.
            FieldQuantity::Pressure
            | FieldQuantity::Stress
            | FieldQuantity::Strain
            | FieldQuantity::ContactPressure
            | FieldQuantity::None => 0.0,
        }
    }

    /// Value for a face of a deformable body; `None` if the quantity belongs to whole bodies.
    pub(crate) fn of_nodes(self, means: &NodalMeans) -> Option<f64> {
        match self {
            FieldQuantity::Stress => Some(means.stress),
            FieldQuantity::Strain => Some(means.strain),
            FieldQuantity::ContactPressure => Some(means.pressure),
            _ => None,
        }
    }

    /// Returns true if it belongs to the faces of deformable bodies.
    pub(crate) fn is_nodal(self) -> bool {
        self.of_nodes(&NodalMeans::default()).is_some()
    }

    /// Name and unit for the legend.
    pub(crate) fn title(self) -> &'static str {
        match self {
            FieldQuantity::Speed => "speed, m/s",
            FieldQuantity::VelocityX => "velocity x, m/s",
            FieldQuantity::VelocityY => "velocity y, m/s",
            FieldQuantity::VelocityZ => "velocity z, m/s",
            FieldQuantity::Spin => "spin, rad/s",
            FieldQuantity::SpinX => "spin x, rad/s",
            FieldQuantity::SpinY => "spin y, rad/s",
            FieldQuantity::SpinZ => "spin z, rad/s",
            FieldQuantity::Contacts => "contacts",
            FieldQuantity::Radius => "radius, m",
            FieldQuantity::Id => "id",
            FieldQuantity::Pressure => "pressure, kPa",
            FieldQuantity::Stress => "stress, Pa",
            FieldQuantity::Strain => "strain",
            FieldQuantity::ContactPressure => "pressure, Pa",
            FieldQuantity::None => "",
        }
    }

    /// The same for a range of values up to `most`, with the factor to its unit: stresses are in Pa, kPa, MPa or GPa.
    pub(crate) fn scaled_title(self, most: f64) -> (String, f64) {
        let title = self.title();
        let Some(name) = title.strip_suffix(" Pa") else { return (title.into(), 1.0) };
        let (unit, factor) = match most {
            most if most >= 1e9 => ("GPa", 1e-9),
            most if most >= 1e6 => ("MPa", 1e-6),
            most if most >= 1e3 => ("kPa", 1e-3),
            _ => ("Pa", 1.0),
        };
        (format!("{name} {unit}"), factor)
    }

    /// Colour map; diverging for signed quantities.
    pub(crate) fn map(self, dimension: u8) -> ColourMap {
        match self {
            FieldQuantity::Spin if dimension == 2 => ColourMap::Diverging,
            FieldQuantity::VelocityX | FieldQuantity::VelocityY | FieldQuantity::VelocityZ => ColourMap::Diverging,
            FieldQuantity::SpinX | FieldQuantity::SpinY | FieldQuantity::SpinZ => ColourMap::Diverging,
            _ => ColourMap::Sequential,
        }
    }

    /// Returns true if its range starts at zero.
    pub(super) fn begins_at_zero(self) -> bool {
        matches!(self, FieldQuantity::Speed | FieldQuantity::Spin | FieldQuantity::Contacts | FieldQuantity::Pressure)
            || self.is_nodal()
    }

    /// Returns true if it is integer-valued.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, FieldQuantity::Contacts | FieldQuantity::Id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stresses_have_the_unit_that_suits_their_range() {
        let title = |most: f64| FieldQuantity::Stress.scaled_title(most).0;
        assert_eq!([900.0, 9e3, 2e6, 3e10].map(title), ["stress, Pa", "stress, kPa", "stress, MPa", "stress, GPa"]);
        assert_eq!(FieldQuantity::Pressure.scaled_title(1e9), ("pressure, kPa".into(), 1.0));
        assert!(FieldQuantity::Strain.is_nodal() && !FieldQuantity::Pressure.is_nodal());
    }
}
