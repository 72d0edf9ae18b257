//! Round contacts in batches of eight that share no body, and the sweep over them.
//!
//! One contact a lane: arms are multiples of the normal, so W = diag(w_n, w_t, w_t) in any frame and the exact
//! Signorini-Coulomb solution is the sticking impulse clipped to the disk of radius mu r_n. Batches come in groups of two
//! that share no body either. A batch that is not full has lanes in which the world touches itself: they do nothing.
// Components are counted by dimension, over several arrays at once.
#![allow(clippy::needless_range_loop)]

use std::marker::PhantomData;

use super::grouping::Grouping;
use super::lanes::{Eight, Kernel, Lanes, dispatch};
use super::table::{Bodies, Table};
use super::{Change, Line, Round};
use crate::dim::Dim;

/// The round contacts of a problem, packed for sweeping.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Batches<X: Dim> {
    /// Where the lines of the first and second bodies of each batch start, counted in numbers.
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

/// Groups by which the velocities of bodies are asked for in advance...
const AHEAD: usize = 3;
/// ...where there are so many bodies that a core's own cache does not hold them.
const MANY: usize = 16_384;

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
        let line = |body: u32| body * (size_of::<Line<X>>() / 8) as u32;
        let pair = |contact: u32| contacts[contact as usize].bodies;
        grouping.group(bodies, contacts.len(), pair, |group| {
            for batch in [&group[..group.len().min(8)], &group[group.len().min(8)..]] {
                let (fixed, start) = (numbers.len(), impulses.len());
                ends.push([[0; 8]; 2]);
                numbers.resize(fixed + Self::FIXED, Eight::default());
                impulses.resize(start + X::D, Eight::default());
                for (lane, &number) in batch.iter().enumerate() {
                    let contact = &contacts[number as usize];
                    places[number as usize] = ((ends.len() - 1) * 8 + lane) as u32;
                    if let Some(ends) = ends.last_mut() {
                        (ends[0][lane], ends[1][lane]) = (line(contact.bodies[0]), line(contact.bodies[1]));
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
        self.highest = 0;
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

/// Contacts that have been looked at and not yet solved.
#[derive(Clone, Copy)]
struct Begun<V> {
    bodies: [Bodies<V>; 2],
    start: [V; 3],
    tangent: [V; 3],
    r_n: V,
    clip: V,
}

/// What a batch consists of.
struct Batch<'a> {
    offsets: &'a [[u32; 8]; 2],
    fixed: &'a [Eight],
    impulse: &'a mut [Eight],
    old: &'a mut [Eight],
}

// Everything down to the single instruction must be inlined into the function that is compiled for the processor, so
// nothing here is a closure: those cannot be told to be.
impl Batch<'_> {
    /// Looks at the contacts from `lane` on.
    #[inline(always)]
    fn begin<X: Dim, V: Lanes, const MOMENTUM: bool>(
        &mut self,
        lane: usize,
        table: &Table<'_, X>,
        tables: V::Tables,
        factor: f64,
    ) -> Begun<V> {
        let zero = V::splat(0.0);
        let a = table.read::<V>(&self.offsets[0][lane..lane + V::N], tables);
        let b = table.read::<V>(&self.offsets[1][lane..lane + V::N], tables);
        let arm_a = V::load(&self.fixed[2 * X::D], lane);
        let arm_b = V::load(&self.fixed[2 * X::D + 1], lane);
        let inverse_n = V::load(&self.fixed[2 * X::D + 2], lane);
        let inverse_t = V::load(&self.fixed[2 * X::D + 3], lane);
        let friction = V::load(&self.fixed[2 * X::D + 4], lane);

        // Relative velocity of the second body at the contact.
        let [mut n, mut spin, mut drift, mut start, mut tangent] = [[zero; 3]; 5];
        for k in 0..X::R {
            spin[k] = arm_a.times_plus(a.spin[k], arm_b.times(b.spin[k]));
        }
        for k in 0..X::D {
            n[k] = V::load(&self.fixed[k], lane);
            drift[k] = b.velocity[k].minus(a.velocity[k]).plus(V::load(&self.fixed[X::D + k], lane));
        }
        let u = X::less_swings(drift, spin, n);

        for k in 0..X::D {
            start[k] = V::load(&self.impulse[k], lane);
            if MOMENTUM {
                let x = start[k];
                start[k] = V::splat(factor).times_plus(x.minus(V::load(&self.old[k], lane)), x);
                x.store(&mut self.old[k], lane);
            }
        }
        let (u_n, p_n) = (dot::<X, V>(&u, &n), dot::<X, V>(&start, &n));
        let r_n = inverse_n.times_from(u_n, p_n).positive();
        let back = inverse_t.times(u_n).minus(p_n);
        for k in 0..X::D {
            tangent[k] = n[k].times_plus(back, inverse_t.times_from(u[k], start[k]));
        }
        let (radius, length2) = (friction.times(r_n), dot::<X, V>(&tangent, &tangent));
        let clip = length2.if_above(radius.times(radius), radius.over(length2.sqrt()), V::splat(1.0));
        Begun { bodies: [a, b], start, tangent, r_n, clip }
    }

    /// Solves them.
    #[inline(always)]
    fn end<X: Dim, V: Lanes, const MOMENTUM: bool>(
        &mut self,
        lane: usize,
        begun: Begun<V>,
        table: &mut Table<'_, X>,
        tables: V::Tables,
        relaxation: f64,
        [corrections, squares, size, against]: &mut [Eight; 4],
    ) {
        let Begun { bodies: [mut a, mut b], start, tangent, r_n, clip } = begun;
        let zero = V::splat(0.0);
        let [mut n, mut correction, mut moved, mut way] = [[zero; 3]; 4];
        for k in 0..X::D {
            n[k] = V::load(&self.fixed[k], lane);
            let target = tangent[k].times_plus(clip, n[k].times(r_n));
            correction[k] = target.minus(start[k]).times(V::splat(relaxation));
            moved[k] = start[k].plus(correction[k]);
            moved[k].store(&mut self.impulse[k], lane);
        }

        let correction2 = dot::<X, V>(&correction, &correction);
        V::load(corrections, lane).plus(correction2).store(corrections, lane);
        V::load(squares, lane).plus(dot::<X, V>(&moved, &moved)).store(squares, lane);
        if MOMENTUM {
            let w = a.inverse_mass.plus(b.inverse_mass);
            for k in 0..X::D {
                way[k] = moved[k].minus(V::load(&self.old[k], lane));
            }
            w.times_plus(correction2, V::load(size, lane)).store(size, lane);
            w.times_from(dot::<X, V>(&correction, &way), V::load(against, lane)).store(against, lane);
        }

        let turn = X::torques(n, correction);
        let by_a = V::load(&self.fixed[2 * X::D], lane).times(a.inverse_mass).times(V::splat(X::BALL));
        let by_b = V::load(&self.fixed[2 * X::D + 1], lane).times(b.inverse_mass).times(V::splat(X::BALL));
        for k in 0..X::D {
            a.velocity[k] = a.inverse_mass.times_from(correction[k], a.velocity[k]);
            b.velocity[k] = b.inverse_mass.times_plus(correction[k], b.velocity[k]);
        }
        for k in 0..X::R {
            a.spin[k] = by_a.times_from(turn[k], a.spin[k]);
            b.spin[k] = by_b.times_from(turn[k], b.spin[k]);
        }
        table.write(&self.offsets[0][lane..lane + V::N], tables, &a);
        table.write(&self.offsets[1][lane..lane + V::N], tables, &b);
    }
}

impl<X: Dim, const MOMENTUM: bool> Kernel for Sweep<'_, X, MOMENTUM> {
    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Self { batches, lines, relaxation, factor, sums } = self;
        let Batches { bodies, numbers, impulses, old, .. } = batches;
        let tables = V::tables();
        let in_advance = if lines.len() > MANY { 2 } else { 0 };
        let mut table = Table::<X>::new(lines);
        let groups = bodies.chunks_exact(2).zip(numbers.chunks_exact(2 * Batches::<X>::FIXED));
        let groups = groups.zip(impulses.chunks_exact_mut(2 * X::D));
        for (number, ((offsets, fixed), impulse)) in groups.enumerate() {
            for ahead in bodies.iter().skip(2 * (number + AHEAD)).take(in_advance) {
                table.prefetch::<V>(ahead);
            }
            let old: &mut [Eight] = if MOMENTUM { &mut old[2 * number * X::D..][..2 * X::D] } else { &mut [] };
            let (old_1, old_2) = old.split_at_mut(if MOMENTUM { X::D } else { 0 });
            let (fixed_1, fixed_2) = fixed.split_at(Batches::<X>::FIXED);
            let (impulse_1, impulse_2) = impulse.split_at_mut(X::D);
            let mut one = Batch { offsets: &offsets[0], fixed: fixed_1, impulse: impulse_1, old: old_1 };
            let mut two = Batch { offsets: &offsets[1], fixed: fixed_2, impulse: impulse_2, old: old_2 };
            for lane in (0..8).step_by(V::N) {
                let first = one.begin::<X, V, MOMENTUM>(lane, &table, tables, factor);
                if V::AT_ONCE == 2 {
                    let second = two.begin::<X, V, MOMENTUM>(lane, &table, tables, factor);
                    one.end::<X, V, MOMENTUM>(lane, first, &mut table, tables, relaxation, sums);
                    two.end::<X, V, MOMENTUM>(lane, second, &mut table, tables, relaxation, sums);
                } else {
                    one.end::<X, V, MOMENTUM>(lane, first, &mut table, tables, relaxation, sums);
                    let second = two.begin::<X, V, MOMENTUM>(lane, &table, tables, factor);
                    two.end::<X, V, MOMENTUM>(lane, second, &mut table, tables, relaxation, sums);
                }
            }
        }
    }
}
