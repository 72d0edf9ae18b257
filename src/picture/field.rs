//! What bodies may be coloured by: name, unit, value, and whether it has a sign.

use super::Body;
use super::colour::Map;

/// A quantity of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Quantity {
    /// Length of the velocity.
    Speed,
    /// Velocity along the first axis.
    VelocityX,
    /// Velocity along the second axis.
    VelocityY,
    /// Velocity along the third axis.
    VelocityZ,
    /// Angular velocity: counter-clockwise in two dimensions, its length in three.
    Spin,
    /// Angular velocity about the first axis.
    SpinX,
    /// Angular velocity about the second axis.
    SpinY,
    /// Angular velocity about the third axis.
    SpinZ,
    /// Contacts within reach in the last step.
    Contacts,
    /// Radius; of angular bodies the distance of the farthest corner from the centre.
    Radius,
    /// Number of the body.
    Id,
    /// Pressure in the joints of angular bodies, in three dimensions: the joints are coloured, and bodies are glass.
    Pressure,
    /// One colour for all.
    None,
}

impl Quantity {
    /// Its value for a body, in a world of two or three dimensions.
    pub(crate) fn of(self, body: &Body, dimension: u8) -> f64 {
        match self {
            Quantity::Speed => body.velocity.norm(),
            Quantity::VelocityX => body.velocity.x,
            Quantity::VelocityY => body.velocity.y,
            Quantity::VelocityZ => body.velocity.z,
            Quantity::Spin if dimension == 2 => body.spin.z,
            Quantity::Spin => body.spin.norm(),
            Quantity::SpinX => body.spin.x,
            Quantity::SpinY => body.spin.y,
            Quantity::SpinZ => body.spin.z,
            Quantity::Contacts => body.contacts as f64,
            Quantity::Radius => body.radius,
            Quantity::Id => body.id as f64,
            // Joints have it, not bodies.
            Quantity::Pressure | Quantity::None => 0.0,
        }
    }

    /// Its name and unit, as a person reads them.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Quantity::Speed => "speed, m/s",
            Quantity::VelocityX => "velocity x, m/s",
            Quantity::VelocityY => "velocity y, m/s",
            Quantity::VelocityZ => "velocity z, m/s",
            Quantity::Spin => "spin, rad/s",
            Quantity::SpinX => "spin x, rad/s",
            Quantity::SpinY => "spin y, rad/s",
            Quantity::SpinZ => "spin z, rad/s",
            Quantity::Contacts => "contacts",
            Quantity::Radius => "radius, m",
            Quantity::Id => "id",
            Quantity::Pressure => "pressure, kPa",
            Quantity::None => "",
        }
    }

    /// Has it a sign?
    pub(crate) fn map(self, dimension: u8) -> Map {
        match self {
            Quantity::Spin if dimension == 2 => Map::Diverging,
            Quantity::VelocityX | Quantity::VelocityY | Quantity::VelocityZ => Map::Diverging,
            Quantity::SpinX | Quantity::SpinY | Quantity::SpinZ => Map::Diverging,
            _ => Map::Sequential,
        }
    }

    /// Does its range begin at zero?
    pub(super) fn begins_at_zero(self) -> bool {
        matches!(self, Quantity::Speed | Quantity::Spin | Quantity::Contacts | Quantity::Pressure)
    }

    /// Has it whole values only?
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Quantity::Contacts | Quantity::Id)
    }
}
