//! Round contacts in batches of eight that share no body, and the sweep over them.
//!
//! One contact a lane: arms are multiples of the normal, so W = diag(w_n, w_t, w_t) in any frame and the exact
//! Signorini-Coulomb solution is the sticking impulse clipped to the disk of radius mu r_n. Batches come in groups of two
//! that share no body either. A batch that is not full has lanes in which the world touches itself: they do nothing.

use std::marker::PhantomData;

use super::grouping::Grouping;
use super::lanes::{Eight, Kernel, Lanes, dispatch};
use super::{Change, Line, Round};
use crate::dim::Dim;

/// The round contacts of a problem, packed for sweeping.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Batches<X: Dim> {
    /// First and second bodies of each batch.
    bodies: Vec<[[u32; 8]; 2]>,
    /// Of each batch: normal, shift, arms, 1/w_n, 1/w_t, friction, all of which stay as they are.
    numbers: Vec<Eight>,
    /// Of each batch: the impulse.
    impulses: Vec<Eight>,
    /// Of each batch: the impulse before the last sweep; only with momentum.
    old: Vec<Eight>,
    /// Batch times eight plus lane of each contact.
    places: Vec<u32>,
    /// The highest number of a body.
    highest: u32,
    grouping: Grouping,
    dimension: PhantomData<X>,
}

impl<X: Dim> Default for Batches<X> {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            numbers: Vec::new(),
            impulses: Vec::new(),
            old: Vec::new(),
            places: Vec::new(),
            highest: 0,
            grouping: Grouping::default(),
            dimension: PhantomData,
        }
    }
}

/// Batches by which the velocities of bodies are asked for in advance.
const AHEAD: usize = 4;

impl<X: Dim> Batches<X> {
    /// Numbers of a contact that stay as they are.
    const FIXED: usize = 2 * X::D + 5;

    /// Take `contacts` between `bodies` bodies, with their impulses.
    pub(super) fn pack(&mut self, contacts: &[Round<X>], bodies: usize) {
        self.highest = contacts.iter().flat_map(|contact| contact.bodies).max().unwrap_or(0);
        let Self { bodies: ends, numbers, impulses, places, grouping, .. } = self;
        ends.clear();
        numbers.clear();
        impulses.clear();
        places.clear();
        places.resize(contacts.len(), 0);
        let pair = |contact: u32| contacts[contact as usize].bodies;
        grouping.group(bodies, contacts.len(), pair, |group| {
            for batch in group.chunks(8) {
                let (fixed, start) = (numbers.len(), impulses.len());
                ends.push([[0; 8]; 2]);
                numbers.resize(fixed + Self::FIXED, Eight::default());
                impulses.resize(start + X::D, Eight::default());
                for (lane, &number) in batch.iter().enumerate() {
                    let contact = &contacts[number as usize];
                    places[number as usize] = ((ends.len() - 1) * 8 + lane) as u32;
                    if let Some(ends) = ends.last_mut() {
                        (ends[0][lane], ends[1][lane]) = (contact.bodies[0], contact.bodies[1]);
                    }
                    let fixed = &mut numbers[fixed..];
                    for k in 0..X::D {
                        fixed[k].0[lane] = contact.normal[k];
                        fixed[X::D + k].0[lane] = contact.shift[k];
                        impulses[start + k].0[lane] = contact.impulse[k];
                    }
                    let [arm_a, arm_b] = contact.arms;
                    let [w_n, w_t] = contact.inverse_w;
                    let rest = [arm_a, arm_b, w_n, w_t, contact.friction];
                    rest.iter().enumerate().for_each(|(k, &x)| fixed[2 * X::D + k].0[lane] = x);
                }
            }
        });
    }

    /// Nothing is packed any more.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.bodies.clear();
        self.numbers.clear();
        self.impulses.clear();
    }

    /// Number of contacts that are packed.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Give the contacts their impulses back.
    pub(super) fn unpack(&self, contacts: &mut [Round<X>]) {
        for (contact, &place) in contacts.iter_mut().zip(&self.places) {
            let (batch, lane) = (place as usize / 8, place as usize % 8);
            for k in 0..X::D {
                contact.impulse[k] = self.impulses[batch * X::D + k].0[lane];
            }
        }
    }

    /// Momentum starts from rest.
    pub(super) fn forget(&mut self) {
        self.old.clone_from(&self.impulses);
    }

    /// One sweep; with `momentum`, from impulses moved on by that factor times their last change.
    pub(super) fn sweep(&mut self, lines: &mut [Line<X>], relaxation: f64, momentum: Option<f64>) -> Change {
        // The kernel goes by these numbers without looking again.
        assert!((self.highest as usize) < lines.len(), "a batch names a body that is not there");
        let mut sums = [Eight::default(); 4];
        match momentum {
            None => dispatch(Sweep::<X, false> { batches: self, lines, relaxation, factor: 0.0, sums: &mut sums }),
            Some(factor) => dispatch(Sweep::<X, true> { batches: self, lines, relaxation, factor, sums: &mut sums }),
        }
        let [corrections, impulses, size, against] = sums.map(|lanes| lanes.0.iter().sum());
        Change { corrections, impulses, size, against }
    }
}

/// A sweep under way.
struct Sweep<'a, X: Dim, const MOMENTUM: bool> {
    batches: &'a mut Batches<X>,
    lines: &'a mut [Line<X>],
    relaxation: f64,
    factor: f64,
    sums: &'a mut [Eight; 4],
}

#[inline(always)]
fn dot<X: Dim, V: Lanes>(a: &[V; 3], b: &[V; 3]) -> V {
    let mut sum = a[0].times(b[0]);
    for k in 1..X::D {
        sum = a[k].times_plus(b[k], sum);
    }
    sum
}

impl<X: Dim, const MOMENTUM: bool> Kernel for Sweep<'_, X, MOMENTUM> {
    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Self { batches, lines, relaxation, factor, sums } = self;
        let Batches { bodies, numbers, impulses, old, .. } = batches;
        let (relaxation, factor, ball) = (V::splat(relaxation), V::splat(factor), V::splat(X::BALL));
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let [mut corrections, mut squares, mut size, mut against] = [zero; 4];
        let mut table = Table::<X>::new(lines);
        let steps = bodies.iter().zip(numbers.chunks_exact(Batches::<X>::FIXED)).zip(impulses.chunks_exact_mut(X::D));
        for (number, ((ends, fixed), impulse)) in steps.enumerate() {
            if let Some(next) = bodies.get(number + AHEAD) {
                table.prefetch::<V>(next);
            }
            let three = |from: usize| -> [V; 3] {
                let at = |k: usize| if k < X::D { V::load(&fixed[from + k]) } else { zero };
                [at(0), at(1), at(2)]
            };
            let (n, shift) = (three(0), three(X::D));
            let [arm_a, arm_b, inverse_n, inverse_t, friction]: [V; 5] =
                std::array::from_fn(|k| V::load(&fixed[2 * X::D + k]));
            let mut a = table.read::<V>(&ends[0]);
            let mut b = table.read::<V>(&ends[1]);

            // Relative velocity of the second body at the contact.
            let spin: [V; 3] = std::array::from_fn(|k| arm_a.times_plus(a.spin[k], arm_b.times(b.spin[k])));
            let drift: [V; 3] = std::array::from_fn(|k| b.velocity[k].minus(a.velocity[k]).plus(shift[k]));
            let u = X::less_swings(drift, spin, n);

            let mut x = [zero; 3];
            let mut start = [zero; 3];
            for k in 0..X::D {
                x[k] = V::load(&impulse[k]);
                start[k] = x[k];
                if MOMENTUM {
                    let old = &mut old[number * X::D + k];
                    start[k] = factor.times_plus(x[k].minus(V::load(old)), x[k]);
                    x[k].store(old);
                }
            }

            let (u_n, p_n) = (dot::<X, V>(&u, &n), dot::<X, V>(&start, &n));
            let r_n = inverse_n.times_from(u_n, p_n).positive();
            let back = inverse_t.times(u_n).minus(p_n);
            let tangent: [V; 3] =
                std::array::from_fn(|k| n[k].times_plus(back, inverse_t.times_from(u[k], start[k])));
            let (radius, length2) = (friction.times(r_n), dot::<X, V>(&tangent, &tangent));
            let clip = length2.if_above(radius.times(radius), radius.over(length2.sqrt()), one);

            let mut correction = [zero; 3];
            let mut moved = [zero; 3];
            for k in 0..X::D {
                let target = tangent[k].times_plus(clip, n[k].times(r_n));
                correction[k] = target.minus(start[k]).times(relaxation);
                moved[k] = start[k].plus(correction[k]);
                moved[k].store(&mut impulse[k]);
            }
            let correction2 = dot::<X, V>(&correction, &correction);
            corrections = corrections.plus(correction2);
            squares = squares.plus(dot::<X, V>(&moved, &moved));
            if MOMENTUM {
                let w = a.inverse_mass.plus(b.inverse_mass);
                let way: [V; 3] = std::array::from_fn(|k| moved[k].minus(x[k]));
                size = w.times_plus(correction2, size);
                against = w.times_from(dot::<X, V>(&correction, &way), against);
            }

            let turn = X::torques(n, correction).map(|turn| turn.times(ball));
            let (by_a, by_b) = (arm_a.times(a.inverse_mass), arm_b.times(b.inverse_mass));
            for k in 0..X::D {
                a.velocity[k] = a.inverse_mass.times_from(correction[k], a.velocity[k]);
                b.velocity[k] = b.inverse_mass.times_plus(correction[k], b.velocity[k]);
            }
            for k in 0..X::R {
                a.spin[k] = by_a.times_from(turn[k], a.spin[k]);
                b.spin[k] = by_b.times_from(turn[k], b.spin[k]);
            }
            table.write(&ends[0], &a);
            table.write(&ends[1], &b);
        }
        for (sum, lanes) in sums.iter_mut().zip([corrections, squares, size, against]) {
            lanes.store(sum);
        }
    }
}

use table::Table;

/// Velocities of eight bodies at once.
mod table {
    #![allow(unsafe_code)]
    use super::{Lanes, Line};
    use crate::dim::Dim;
    use std::marker::PhantomData;

    /// Eight bodies.
    pub(in super::super) struct Many<V> {
        pub(super) velocity: [V; 3],
        pub(super) inverse_mass: V,
        pub(super) spin: [V; 3],
    }

    /// The lines of a problem, as rows of numbers.
    pub(in super::super) struct Table<'a, X: Dim> {
        at: *mut f64,
        count: usize,
        lines: PhantomData<&'a mut [Line<X>]>,
    }

    impl<'a, X: Dim> Table<'a, X> {
        /// Numbers between the starts of two lines.
        const STRIDE: usize = size_of::<Line<X>>() / 8;
        /// Is there a number beyond the fourth?
        const IS_LONG: bool = X::D + 1 + X::R > 4;

        #[inline(always)]
        pub(super) fn new(lines: &'a mut [Line<X>]) -> Self {
            Self { at: lines.as_mut_ptr().cast(), count: lines.len(), lines: PhantomData }
        }

        #[inline(always)]
        fn rows(&self, bodies: &[u32; 8], from: usize) -> [*mut f64; 8] {
            bodies.map(|body| {
                debug_assert!((body as usize) < self.count);
                // SAFETY: the sweep has made sure that every body is one of the lines, which are eight numbers long
                // (padding included), aligned to 64 bytes and borrowed for as long as the table lives.
                unsafe { self.at.add(body as usize * Self::STRIDE + from) }
            })
        }

        #[inline(always)]
        pub(super) fn prefetch<V: Lanes>(&self, bodies: &[[u32; 8]; 2]) {
            for body in bodies.iter().flatten() {
                V::prefetch(self.at.wrapping_add(*body as usize * Self::STRIDE));
            }
        }

        #[inline(always)]
        pub(super) fn read<V: Lanes>(&self, bodies: &[u32; 8]) -> Many<V> {
            let zero = V::splat(0.0);
            // SAFETY: as in `rows`; a line is laid out in the order of its fields.
            let low = unsafe { V::columns(self.rows(bodies, 0).map(|row| row.cast_const())) };
            let high = match Self::IS_LONG {
                // SAFETY: the same.
                true => unsafe { V::columns(self.rows(bodies, 4).map(|row| row.cast_const())) },
                false => [zero; 4],
            };
            let at = |k: usize| if k < 4 { low[k] } else { high[k % 4] };
            let velocity = std::array::from_fn(|k| if k < X::D { at(k) } else { zero });
            let spin = std::array::from_fn(|k| if k < X::R { at(X::D + 1 + k) } else { zero });
            Many { velocity, inverse_mass: at(X::D), spin }
        }

        #[inline(always)]
        pub(super) fn write<V: Lanes>(&mut self, bodies: &[u32; 8], many: &Many<V>) {
            let zero = V::splat(0.0);
            let at = |k: usize| match k {
                _ if k < X::D => many.velocity[k],
                _ if k == X::D => many.inverse_mass,
                _ if k < X::D + 1 + X::R => many.spin[k - X::D - 1],
                _ => zero,
            };
            // SAFETY: as in `rows`; lanes of the same body, the world, write the same.
            unsafe { V::write_columns(std::array::from_fn(&at), self.rows(bodies, 0)) };
            if Self::IS_LONG {
                // SAFETY: the same.
                unsafe { V::write_columns(std::array::from_fn(|k| at(4 + k)), self.rows(bodies, 4)) };
            }
        }
    }
}
