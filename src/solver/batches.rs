//! Round contacts in batches, and the sweep over them.
//!
//! One contact a lane: arms are multiples of the normal, so W = diag(w_n, w_t, w_t) in any frame and the exact
//! Signorini-Coulomb solution is the sticking impulse clipped to the disk of radius mu r_n. Only what is between two bodies is turned from rows into lanes, and only the push on them back.
// Components are counted by dimension, over several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::batch::{Batch, Cone, Course, Steps, change};
use super::lanes::{Eight, Kernel, Lanes, dispatch};
use super::packed::Packed;
use super::table::{Between, Table};
use super::{Change, Line, Round};
use crate::dim::{Dim, Vector};

/// The round contacts of a problem, packed for sweeping.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Batches<X: Dim> {
    /// Of each contact: normal, arm, 1/w_t, and then the shift; if not lean, friction before that.
    pub(super) packed: Packed<X>,
    /// Friction is the same at all contacts, and shifts are along the normals, so that one number each is enough. They are
    /// not where an obstacle slides or a law bounces sideways.
    is_lean: bool,
    /// The coefficient of friction of all.
    friction: f64,
}

/// Groups by which the velocities of bodies are asked for in advance...
const AHEAD: usize = 3;
/// ...where there are so many bodies that a core's own cache does not hold them.
const MANY: usize = 16_384;

impl<X: Dim> Batches<X> {
    /// Numbers of a contact that stay as they are.
    const fn stride(is_lean: bool) -> usize {
        X::D + 3 + if is_lean { 0 } else { X::D }
    }

    /// Take `contacts` between the bodies of these lines, with their impulses.
    pub(super) fn pack(&mut self, contacts: &[Round<X>], lines: &[Line<X>]) {
        let friction = contacts.first().map_or(0.0, |contact| contact.friction);
        let is_lean = contacts.iter().all(|contact| contact.friction == friction && along(contact).is_some());
        (self.is_lean, self.friction) = (is_lean, friction);
        let contact = |number: u32| (contacts[number as usize].bodies, contacts[number as usize].impulse);
        self.packed.pack(lines.len(), contacts.len(), Self::stride(is_lean), contact, |number, fixed, lane| {
            let contact = &contacts[number as usize];
            (0..X::D).for_each(|k| fixed[k].0[lane] = contact.normal[k]);
            fixed[X::D].0[lane] = contact.arm;
            fixed[X::D + 1].0[lane] = contact.inverse_w(lines)[1];
            match along(contact).filter(|_| is_lean) {
                Some(shift) => fixed[X::D + 2].0[lane] = shift,
                None => {
                    fixed[X::D + 2].0[lane] = contact.friction;
                    (0..X::D).for_each(|k| fixed[X::D + 3 + k].0[lane] = contact.shift[k]);
                }
            }
        });
    }

    /// Contact number `number`, as it stands.
    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> Round<X> {
        let (batch, lane) = self.packed.place(number);
        let stride = Self::stride(self.is_lean);
        let fixed = &self.packed.numbers[batch * stride..][..stride];
        let normal: X::Vector = Vector::from_fn(|k| fixed[k].0[lane]);
        let (friction, shift) = match self.is_lean {
            true => (self.friction, normal * fixed[X::D + 2].0[lane]),
            false => (fixed[X::D + 2].0[lane], Vector::from_fn(|k| fixed[X::D + 3 + k].0[lane])),
        };
        let (bodies, impulse) = (self.packed.ends(number), self.packed.impulse(number));
        Round { bodies, arm: fixed[X::D].0[lane], normal, shift, friction, impulse }
    }

    /// One sweep; with `momentum`, from impulses moved on by that factor times their last change.
    pub(super) fn sweep(&mut self, lines: &mut [Line<X>], relaxation: f64, momentum: Option<f64>) -> Change {
        self.packed.check(lines.len());
        let mut sums = [Eight::default(); 4];
        let course = Course { relaxation, factor: momentum.unwrap_or(0.0), sums: &mut sums };
        let Self { packed, is_lean, friction } = self;
        let friction = *friction;
        match (momentum.is_some(), *is_lean) {
            (false, false) => dispatch(Sweep::<X, false, false> { packed, friction, lines, course }),
            (false, true) => dispatch(Sweep::<X, false, true> { packed, friction, lines, course }),
            (true, false) => dispatch(Sweep::<X, true, false> { packed, friction, lines, course }),
            (true, true) => dispatch(Sweep::<X, true, true> { packed, friction, lines, course }),
        }
        change(sums)
    }
}

/// The shift as a multiple of the normal, if it is one but for rounding.
fn along<X: Dim>(contact: &Round<X>) -> Option<f64> {
    let shift = contact.shift.dot(&contact.normal);
    let aside = (contact.shift - contact.normal * shift).norm2();
    (aside <= 1e-30 * contact.shift.norm2()).then_some(shift)
}

/// A sweep under way, with or without momentum, over lean contacts or others.
struct Sweep<'a, X: Dim, const MOMENTUM: bool, const LEAN: bool> {
    packed: &'a mut Packed<X>,
    friction: f64,
    lines: &'a mut [Line<X>],
    course: Course<'a>,
}

/// Contacts that have been looked at and not yet solved.
#[derive(Clone, Copy)]
struct Begun<V> {
    start: [V; 3],
    cone: Cone<V>,
    /// Sum of the inverse masses.
    w: V,
}

impl Batch<'_> {
    /// The bodies of the contacts from `lane` on.
    #[inline(always)]
    fn ends<V: Lanes>(&self, lane: usize) -> [&[u32]; 2] {
        [&self.offsets[0][lane..lane + V::N], &self.offsets[1][lane..lane + V::N]]
    }

    /// Looks at the contacts from `lane` on.
    #[inline(always)]
    fn begin<X: Dim, V: Lanes, const MOMENTUM: bool, const LEAN: bool>(
        &mut self,
        lane: usize,
        friction: f64,
        table: &Table<'_, X>,
        tables: V::Tables,
        course: &Course,
    ) -> Begun<V> {
        let Between { mut drift, inverse_mass: w, mut spin } = table.between::<V>(self.ends::<V>(lane), tables);
        let arm = V::load(&self.fixed[X::D], lane);
        let friction = if LEAN { V::splat(friction) } else { V::load(&self.fixed[X::D + 2], lane) };
        let tangent = V::load(&self.fixed[X::D + 1], lane);
        let ratio = arm.times(arm).times_plus(V::splat(X::BALL), V::splat(1.0));
        let steps = Steps { normal: ratio.times(tangent), tangent, friction };

        // Relative velocity of the second body at the contact.
        let n = self.vector::<X, V>(0, lane);
        for k in 0..X::R {
            spin[k] = spin[k].times(arm);
        }
        for k in 0..X::D {
            drift[k] = match LEAN {
                true => n[k].times_plus(V::load(&self.fixed[X::D + 2], lane), drift[k]),
                false => drift[k].plus(V::load(&self.fixed[X::D + 3 + k], lane)),
            };
        }
        let u = X::less_swings(drift, spin, n);
        let start = self.start::<X, V, MOMENTUM>(lane, course);
        Begun { start, cone: Cone::new::<X>(&u, &n, &start, steps), w }
    }

    /// Solves them.
    #[inline(always)]
    fn end<X: Dim, V: Lanes, const MOMENTUM: bool>(
        &mut self,
        lane: usize,
        begun: Begun<V>,
        table: &mut Table<'_, X>,
        tables: V::Tables,
        course: &mut Course,
    ) {
        let Begun { start, cone, w } = begun;
        let n = self.vector::<X, V>(0, lane);
        let correction = self.correct::<X, V, MOMENTUM>(lane, start, &n, cone, w, course);
        let mut turn = X::torques(n, correction);
        let by = V::load(&self.fixed[X::D], lane).times(V::splat(X::BALL));
        for k in 0..X::R {
            turn[k] = turn[k].times(by);
        }
        table.push(self.ends::<V>(lane), tables, &correction, &turn);
    }
}

impl<X: Dim, const MOMENTUM: bool, const LEAN: bool> Kernel for Sweep<'_, X, MOMENTUM, LEAN> {
    #[inline(always)]
    fn run<V: Lanes>(self) {
        let stride = const { Batches::<X>::stride(LEAN) };
        let Self { packed, friction, lines, mut course } = self;
        let Packed { bodies, numbers, impulses, old, .. } = packed;
        let tables = V::tables();
        let in_advance = if lines.len() > MANY { 2 } else { 0 };
        let mut table = Table::<X>::new(lines);
        let groups = bodies.chunks_exact(2).zip(numbers.chunks_exact(2 * stride));
        let groups = groups.zip(impulses.chunks_exact_mut(2 * X::D));
        for (number, ((offsets, fixed), impulse)) in groups.enumerate() {
            for ahead in bodies.iter().skip(2 * (number + AHEAD)).take(in_advance) {
                table.prefetch::<V>(ahead);
            }
            let old: &mut [Eight] = if MOMENTUM { &mut old[2 * number * X::D..][..2 * X::D] } else { &mut [] };
            let (old_1, old_2) = old.split_at_mut(if MOMENTUM { X::D } else { 0 });
            let (fixed_1, fixed_2) = fixed.split_at(stride);
            let (impulse_1, impulse_2) = impulse.split_at_mut(X::D);
            let mut one = Batch { offsets: &offsets[0], fixed: fixed_1, impulse: impulse_1, old: old_1 };
            let mut two = Batch { offsets: &offsets[1], fixed: fixed_2, impulse: impulse_2, old: old_2 };
            for lane in (0..8).step_by(V::N) {
                let mut first = one.begin::<X, V, MOMENTUM, LEAN>(lane, friction, &table, tables, &course);
                if V::AT_ONCE == 2 {
                    let mut second = two.begin::<X, V, MOMENTUM, LEAN>(lane, friction, &table, tables, &course);
                    Cone::wait(&mut first.cone, &mut second.cone);
                    one.end::<X, V, MOMENTUM>(lane, first, &mut table, tables, &mut course);
                    two.end::<X, V, MOMENTUM>(lane, second, &mut table, tables, &mut course);
                } else {
                    one.end::<X, V, MOMENTUM>(lane, first, &mut table, tables, &mut course);
                    let second = two.begin::<X, V, MOMENTUM, LEAN>(lane, friction, &table, tables, &course);
                    two.end::<X, V, MOMENTUM>(lane, second, &mut table, tables, &mut course);
                }
            }
        }
    }
}
