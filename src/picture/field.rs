//! Quantities that colour bodies: name, unit, value and kind of colour map.

use super::DrawnBody;
use super::colour::ColourMap;

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
            // Pressure belongs to joints, not to bodies.
            FieldQuantity::Pressure | FieldQuantity::None => 0.0,
        }
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
            FieldQuantity::None => "",
        }
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
    }

    /// Returns true if it is integer-valued.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, FieldQuantity::Contacts | FieldQuantity::Id)
    }
}
