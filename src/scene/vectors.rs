//! Vectors, directions and orientations from the numbers of a scene.

use super::entry::{AxisAngle, Loose};
use super::error::{Checked, SceneProblem};
use super::path::KeyPath;
use super::values::length;
use crate::dim::{Dim, Orientation, Vector};

/// Reads a vector from an array of the right length.
pub(crate) fn vector<V: Vector>(at: &KeyPath, numbers: &[f64]) -> Checked<V> {
    length(at, numbers.len(), V::N)?;
    Ok(V::read(numbers))
}

/// Normalises a vector; the zero vector is an error.
pub(crate) fn direction<V: Vector>(at: &KeyPath, v: V) -> Checked<V> {
    // Scale by the largest component first: the squares of very long or short vectors overflow or underflow.
    let largest = v.as_slice().iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        let problem = SceneProblem::value(at, format!("`{}` is zero and has no direction", at.last()));
        return Err(problem.label("no direction").help("give a vector of any length other than zero"));
    }
    let scaled = V::from_fn(|i| v[i] / largest);
    Ok(scaled * (1.0 / scaled.norm()))
}

pub(crate) fn orientation<X: Dim>(at: &KeyPath, entry: &Loose<AxisAngle>) -> Checked<X::Orientation> {
    let identity = X::Orientation::identity();
    match entry {
        Loose::Number(angle) if !X::HAS_ROTATION_AXIS => Ok(identity.turned(X::Spin::from_fn(|_| *angle))),
        Loose::Array(numbers) if X::HAS_ROTATION_AXIS => {
            length(at, numbers.len(), X::Orientation::NUMBERS).map_err(|p| p.help("a quaternion is [w, x, y, z]"))?;
            let norm = numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !norm.is_normal() {
                let problem = SceneProblem::value(at, "this quaternion has no length").label("zero, or not finite");
                return Err(problem.help("no rotation is [1, 0, 0, 0]"));
            }
            Ok(X::Orientation::read(&numbers.iter().map(|x| x / norm).collect::<Vec<_>>()))
        }
        Loose::Table(AxisAngle { axis, angle }) if X::HAS_ROTATION_AXIS => {
            let axis_at = at.then("axis");
            let axis: X::Spin = direction(&axis_at, vector(&axis_at, axis)?)?;
            Ok(identity.turned(axis * *angle))
        }
        _ => {
            let wanted = if X::HAS_ROTATION_AXIS { "a quaternion, or an axis and an angle" } else { "an angle in rad" };
            let problem = SceneProblem::value(at, format!("in {} dimensions an orientation is {wanted}", X::D));
            let help = match X::HAS_ROTATION_AXIS {
                true => "write [w, x, y, z] or { axis = [0, 0, 1], angle = 0.5 }",
                false => "write orientation = 0.5",
            };
            Err(problem.label(format!("not {wanted}")).help(help))
        }
    }
}
