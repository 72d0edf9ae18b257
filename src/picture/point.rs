//! Points and directions of a picture.

use nalgebra::Vector3;

/// A point or a direction; the last component is zero in 2D.
pub type ImagePoint = Vector3<f64>;
