//! Residual of sphere contacts in batches, eight at a time: most of the work of a check.
// Loops run over the components of several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::batch::dot;
use super::grouping::BATCH;
use super::packed::Packed;
use super::simd::{CacheLine, Simd, SimdKernel, dispatch};
use super::simd_velocities::{RelativeVelocity, VelocityRowsRef};
use super::sphere_batches::SphereBatches;
use super::{Residual, VelocityView};
use crate::dim::Dim;

/// Per lane: sums of |F|^2 and |r|^2, the greatest |F|^2, the number of contacts with an impulse, and the sums of
/// complementarity work, of r.u and of |r|^2/rho.
type LaneSums = [CacheLine; 7];

impl<X: Dim> SphereBatches<X> {
    /// Residual at the velocities of these rows.
    pub(super) fn residual(&self, rows: &VelocityView<X>) -> Residual {
        let mut sums = LaneSums::default();
        let Self { packed, is_lean, friction } = self;
        packed.check_rows(rows.array_len());
        match is_lean {
            true => dispatch(BatchCheck::<X, true> { packed, friction: *friction, rows, sums: &mut sums }),
            false => dispatch(BatchCheck::<X, false> { packed, friction: *friction, rows, sums: &mut sums }),
        }
        let sum = |lanes: &CacheLine| lanes.0.iter().sum::<f64>();
        Residual {
            violation: sum(&sums[0]),
            impulses: sum(&sums[1]),
            worst: sums[2].0.iter().copied().fold(0.0, f64::max),
            contacts: packed.len() as u64,
            active: sum(&sums[3]) as u64,
            gap: sum(&sums[4]),
            work: sum(&sums[5]),
            alone: sum(&sums[6]),
        }
    }
}

/// Kernel of a check, over lean contacts or others.
struct BatchCheck<'a, X: Dim, const LEAN: bool> {
    packed: &'a Packed<X>,
    friction: f64,
    rows: &'a VelocityView<X>,
    sums: &'a mut LaneSums,
}

/// Some contacts, one per lane.
struct CheckedContacts<V: Simd> {
    normal: [V; 3],
    impulse: [V; 3],
    velocity: [V; 3],
    friction: V,
    /// 1/w_t.
    step: V,
}

impl<V: Simd> CheckedContacts<V> {
    /// |F|^2, |r|^2, complementarity work, r.u and |r|^2/rho, as in `certificate`.
    #[inline(always)]
    fn violation<X: Dim>(&self) -> [V; 5] {
        let Self { normal: n, impulse: r, velocity: u, friction: mu, step } = self;
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let u_n = dot::<X, V>(u, n);
        let [mut tangent, mut trial, mut difference] = [[zero; 3]; 3];
        for k in 0..X::D {
            tangent[k] = n[k].times_from(u_n, u[k]);
        }
        let sliding = mu.times(dot::<X, V>(&tangent, &tangent).sqrt());
        let (r_n, work) = (dot::<X, V>(r, n), dot::<X, V>(r, u));
        let across_work = sliding.times_plus(r_n, r_n.times_from(u_n, work));
        for k in 0..X::D {
            trial[k] = step.times_from(n[k].times_plus(sliding, u[k]), r[k]);
        }

        // The projection on the cone is the normal times `along` plus the tangential part times `across`.
        let x_n = dot::<X, V>(&trial, n);
        for k in 0..X::D {
            tangent[k] = n[k].times_from(x_n, trial[k]);
        }
        let length = dot::<X, V>(&tangent, &tangent).sqrt();
        let outside = mu.times_plus(length, x_n).over(mu.times_plus(*mu, one));
        let inside = mu.times(x_n);
        let (below, polar) = (zero.minus(x_n), mu.times(length));
        // The comparisons propagate NaN.
        let along = inside.if_above(length, x_n, outside);
        let along = below.if_above(polar, zero, along);
        let across = mu.times(outside).over(length.larger(V::splat(f64::MIN_POSITIVE)));
        let across = inside.if_above(length, one, across);
        let across = below.if_above(polar, zero, across);
        for k in 0..X::D {
            difference[k] = tangent[k].times_from(across, n[k].times_from(along, r[k]));
        }
        let (violation, squares) = (dot::<X, V>(&difference, &difference), dot::<X, V>(r, r));
        // Lanes without a contact have no effective mass; avoid a division by zero.
        let rho = step.larger(V::splat(f64::MIN_POSITIVE));
        let abs = |x: V| x.larger(zero.minus(x));
        let gap = abs(r_n.times(u_n)).plus(abs(across_work)).plus(violation.over(rho));
        [violation, squares, gap, work, squares.over(rho)]
    }
}

impl<X: Dim, const LEAN: bool> SimdKernel for BatchCheck<'_, X, LEAN> {
    #[inline(always)]
    fn run<V: Simd>(self) {
        let stride = const { SphereBatches::<X>::stride(LEAN) };
        let Packed { bodies, constants, impulses, .. } = self.packed;
        let (tables, view) = (V::tables(), VelocityRowsRef::<X>::new(self.rows));
        let [violation, squares, worst, active, gap, work, alone] = self.sums;
        let batches = bodies.iter().zip(constants.chunks_exact(stride)).zip(impulses.chunks_exact(X::D));
        for ((ends, constants), impulses) in batches {
            for lane in (0..BATCH).step_by(V::N) {
                let zero = V::splat(0.0);
                let ends = [&ends[0][lane..lane + V::N], &ends[1][lane..lane + V::N]];
                let RelativeVelocity { mut linear, mut spin, .. } = view.relative_velocity::<V>(ends, tables);
                let (arm, step) = (V::load(&constants[X::D], lane), V::load(&constants[X::D + 1], lane));
                let last = V::load(&constants[X::D + 2], lane);
                let [mut normal, mut impulse] = [[zero; 3]; 2];
                for k in 0..X::D {
                    normal[k] = V::load(&constants[k], lane);
                    impulse[k] = V::load(&impulses[k], lane);
                    linear[k] = match LEAN {
                        true => normal[k].times_plus(last, linear[k]),
                        false => linear[k].plus(V::load(&constants[X::D + 3 + k], lane)),
                    };
                }
                for k in 0..X::R {
                    spin[k] = spin[k].times(arm);
                }
                let velocity = X::minus_cross(linear, spin, normal);
                let friction = if LEAN { V::splat(self.friction) } else { last };
                let contacts = CheckedContacts { normal, impulse, velocity, friction, step };
                let [f2, r2, gap_here, work_here, alone_here] = contacts.violation::<X>();
                let terms = [f2, r2, gap_here, work_here, alone_here];
                let sums = [&mut *violation, &mut *squares, &mut *gap, &mut *work, &mut *alone];
                for (sum, term) in sums.into_iter().zip(terms) {
                    V::load(sum, lane).plus(term).store(sum, lane);
                }
                f2.larger(V::load(worst, lane)).store(worst, lane);
                r2.if_above(zero, V::load(active, lane).plus(V::splat(1.0)), V::load(active, lane)).store(active, lane);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space, Vector};
    use crate::law::Reduced;
    use crate::solver::BodyVelocity;
    use crate::solver::SphereContact;

    struct Lcg(u64);

    impl Lcg {
        /// Between -1 and 1.
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// Spheres and contacts of all kinds, some with the world: inside, outside and below their cones; with individual
    /// friction and shifts, or with common friction and shifts along the normals.
    fn random_contacts<X: Dim>(is_lean: bool) -> (VelocityView<X>, Vec<SphereContact<X>>) {
        let mut random = Lcg(5);
        let mut rows = vec![BodyVelocity::zero()];
        for _ in 0..40 {
            let [velocity, spin] = [X::Vector::from_fn(|_| random.next()), X::Vector::from_fn(|_| random.next())];
            rows.push(BodyVelocity::new(velocity, 1.5 + random.next(), X::Spin::from_fn(|k| spin[k.min(1)])));
        }
        let contacts = (1..300u32).map(|number| {
            let direction = X::Vector::from_fn(|_| random.next());
            let normal = direction * (1.0 / direction.norm());
            let friction = if is_lean { 0.5 } else { f64::from(number % 4) * 0.3 };
            let shift = if is_lean { normal * random.next() } else { X::Vector::from_fn(|_| random.next()) };
            let impulse = match number % 5 {
                0 => X::Vector::zero(),
                _ => normal + X::Vector::from_fn(|_| random.next()) * 0.6,
            };
            SphereContact::new([number % 7, 10 + number % 30], normal, 0.99, &Reduced::cone(shift, friction), impulse)
        });
        let contacts = contacts.collect();
        (rows.into(), contacts)
    }

    fn residuals<X: Dim>(rows: &VelocityView<X>, contacts: &[SphereContact<X>]) -> [Residual; 2] {
        let mut one_by_one = Residual::default();
        contacts.iter().for_each(|contact| contact.residual(rows, &mut one_by_one));
        let mut batches = SphereBatches::default();
        batches.pack(contacts, rows, &mut Vec::new());
        [one_by_one, batches.residual(rows)]
    }

    fn eight_at_a_time_agree<X: Dim>() {
        for is_lean in [true, false] {
            let (rows, contacts) = random_contacts::<X>(is_lean);
            let [one, eight] = residuals(&rows, &contacts);
            assert_eq!((one.contacts, one.active), (eight.contacts, eight.active));
            assert!(one.contacts > 290 && one.active < one.contacts && one.violation > 1.0);
            let numbers = |r: &Residual| [r.violation, r.impulses, r.worst, r.gap, r.work, r.alone];
            for (a, b) in numbers(&one).into_iter().zip(numbers(&eight)) {
                assert!((a - b).abs() < 1e-13 * a.abs().max(one.gap), "{one:?} {eight:?}");
            }
        }
    }

    #[test]
    fn eight_contacts_at_a_time_are_judged_as_one_by_one() {
        eight_at_a_time_agree::<Plane>();
        eight_at_a_time_agree::<Space>();
    }

    #[test]
    fn contacts_without_impulse_between_bodies_at_rest_violate_nothing() {
        let rows = vec![BodyVelocity::<Space>::new(Vector::zero(), 1.0, Vector::zero()); 9].into();
        for friction in [0.0, 0.5] {
            let law = Reduced::cone(Vector::zero(), friction);
            let contacts: Vec<_> =
                (1..9).map(|body| SphereContact::new([0, body], Vector::axis(2), 1.0, &law, Vector::zero())).collect();
            let [one, eight] = residuals(&rows, &contacts);
            assert_eq!(one, eight);
            assert_eq!((eight.violation, eight.contacts, eight.active), (0.0, 8, 0));
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        let (mut rows, contacts) = random_contacts::<Space>(true);
        rows[11].velocity.x = f64::NAN;
        assert!(residuals(&rows, &contacts).iter().all(|residual| residual.violation.is_nan()));
    }
}
