//! Torque-free rotation of a rigid body in 3D, in its principal axes.
//!
//! Input: principal moments I, spin w in the body frame, a time. Output: spin and orientation after that time. Euler's
//! equations I w' = -w x I w are integrated by the implicit midpoint rule, which conserves the energy and the norm of
//! the angular momentum; fast rotations in substeps. The direction of the angular momentum L = R I w is conserved too:
//! a final rotation restores it.

use super::{Orientation, Quaternion};
use nalgebra::Vector3;

/// Maximum rotation per substep, rad.
const SUBSTEP: f64 = 0.1;
/// Maximum number of substeps. A body that rotates further in the given time is integrated only up to this number:
/// energy and angular momentum are correct, the number of revolutions is not.
const SUBSTEPS: f64 = 500.0;

/// Angular acceleration, rad/s2. No principal moment exceeds the sum of the other two, so no component exceeds |w|^2.
pub(super) fn rate(moments: Vector3<f64>, w: Vector3<f64>) -> Vector3<f64> {
    let torque = -w.cross(&moments.component_mul(&w));
    torque.component_div(&moments)
}

/// Solves w+ = w + h f((w + w+)/2) by fixed-point iteration, a contraction for any step that resolves the spin.
pub(super) fn implicit_midpoint(moments: Vector3<f64>, start: Vector3<f64>, h: f64) -> Vector3<f64> {
    // Euler's equations by components, w_x' = (I_y - I_z) / I_x w_y w_z.
    let [x, y, z] = moments.into();
    let [a, b, c] = [(y - z) * h / x, (z - x) * h / y, (x - y) * h / z];
    let rotated = |w: Vector3<f64>| start + Vector3::new(a * w.y * w.z, b * w.z * w.x, c * w.x * w.y);
    let enough = 1e-32 * start.norm_squared();
    let mut end = rotated(start);
    for _ in 0..100 {
        let next = rotated((start + end) * 0.5);
        let change = (next - end).norm_squared();
        end = next;
        if change <= enough {
            break;
        }
    }
    end
}

/// Orientation and spin in the body frame after the time `t`, in substeps.
pub(super) fn rotate_freely(
    moments: Vector3<f64>,
    start: Quaternion,
    spin: Vector3<f64>,
    t: f64,
) -> (Quaternion, Vector3<f64>) {
    if spin == Vector3::zeros() {
        return (start, spin);
    }
    let substeps = (spin.norm() * t.abs() / SUBSTEP).ceil().max(1.0);
    // The spin NaN takes one substep and stays NaN.
    let count = substeps.min(SUBSTEPS);
    let h = t / substeps;
    let (mut orientation, mut w) = (start, spin);
    for _ in 0..count as u32 {
        let end = implicit_midpoint(moments, w, h);
        orientation = orientation.turned(orientation.rotate_spin((w + end) * (0.5 * h)));
        w = end;
    }
    let momentum = |orientation: Quaternion, w: Vector3<f64>| orientation.rotate(moments.component_mul(&w));
    let (before, after) = (momentum(start, spin), momentum(orientation, w));
    let (axis, along) = (after.cross(&before), after.dot(&before));
    let sine = axis.norm();
    if sine > 0.0 {
        orientation = orientation.turned(axis * (sine.atan2(along) / sine));
    }
    (orientation, w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_top_of_any_spin_keeps_energy_and_angular_momentum() {
        let moments = Vector3::new(1.0, 2.0, 2.7);
        for spin in [1.5, 5.0, 300.0, 1e9] {
            let start = Quaternion::new(0.1, -0.7, 0.4, 0.2);
            let first = Vector3::new(0.1, 0.9, 0.3) * spin;
            let (mut q, mut w) = (start, first);
            for _ in 0..200 {
                (q, w) = rotate_freely(moments, q, w, 0.5);
            }
            let energy = |w: Vector3<f64>| w.dot(&moments.component_mul(&w));
            let momentum = |q: Quaternion, w: Vector3<f64>| q.rotate(moments.component_mul(&w));
            assert!((energy(w) / energy(first) - 1.0).abs() < 1e-11, "{spin}");
            let (before, after) = (momentum(start, first), momentum(q, w));
            assert!((after - before).norm() < 1e-11 * before.norm(), "{spin}");
        }
    }

    #[test]
    fn substeps_follow_the_motion_of_a_symmetric_top() {
        // A prolate top about z: its spin precesses in the body frame with (I_z - I_x) / I_x w_z.
        let moments = Vector3::new(2.0, 2.0, 1.0);
        let (w, t) = (Vector3::new(0.6, 0.0, 0.8) * 5.0, 0.5);
        let (_, end) = rotate_freely(moments, Quaternion::identity(), w, t);
        let angle = -0.5 * w.z * t;
        let expected = Vector3::new(w.x * angle.cos(), w.x * -angle.sin(), w.z);
        let other = Vector3::new(w.x * angle.cos(), w.x * angle.sin(), w.z);
        let error = (end - expected).norm().min((end - other).norm());
        assert!(error < 1e-3 * w.norm(), "{end:?}");
    }
}
