//! Momentum of the sweeps: each starts from where the last two point, and forgets that when it leads astray.
//!
//! Nesterov's extrapolation around a Gauss-Seidel sweep, with adaptive restart (O'Donoghue and Candes 2015, Adaptive
//! restart for accelerated gradient schemes): impulses r and velocities V are moved on by beta times their last change,
//! which keeps them consistent because V is linear in r; the sweep then corrects both. What a sweep finds out counts
//! one sweep later, so that sums over all processes may travel while that sweep runs.
//!
//! The sequence is entered where its factor is above a half: the first ones of Nesterov's would only be lost time. Not so
//! after a restart: what friction keeps alive would never calm down. The price of large factors is that small corrections
//! shiver at every contact, and a residual sees little else; so the last sweep before each check is plain and damped
//! ([`SolverSettings::smoothing`]). The one after it goes on by the change of both, but what that one and the next correct is
//! mostly what damping left over: no reason to start anew.
//!
//! A floor's support travels up a heap as a long wave, one layer a sweep with momentum and ever more slowly without, while
//! small corrections shiver everywhere and grow. Where velocities are farther from what is asked than contacts are from their
//! laws, and come nearer ([`ConvergenceMonitor::is_support_rising`](super::Watch::is_support_rising)), they may grow.

use super::Change;
use crate::base::scratch::ScratchVec;
use crate::dim::{Dim, Vector};
use crate::solver::{BodyVelocity, ContactProblem, ConvergenceMonitor, SolverSettings, Velocity, keep};

/// Sweeps over which the corrections must have shrunk.
const LOOK_BACK: usize = 7;
/// Sweeps after a restart in which they need not.
const PATIENCE: u32 = 10;

/// Sweeps without, before the sequence.
const STILL: u32 = 1;
/// Nesterov's t before the sequence...
const START: f64 = 3.0;
/// ...and after a restart.
const RESTART: f64 = 1.0;

/// The share of each correction that a smoothing sweep makes.
const SMOOTHING: f64 = 0.7;

impl SolverSettings {
    /// Those of a sweep that only smooths.
    pub fn smoothing(&self) -> Self {
        Self { relaxation: SMOOTHING * self.relaxation, ..self.clone() }
    }
}

/// How a sweep is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SweepKind {
    /// As plain NLGS has it.
    Plain,
    /// Plain and damped, by the settings of [`SolverSettings::smoothing`].
    Smoothing,
    /// From where the last two sweeps point, by this factor.
    Extrapolated(f64),
}

/// Where the sequence of factors stands.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    /// Nesterov's t.
    t: f64,
    /// Sweeps still to be made without.
    still: u32,
    /// Sweeps heard of since the last restart.
    age: u32,
    /// Sizes of the corrections of the last sweeps, the latest last.
    sizes: [f64; LOOK_BACK + 1],
    /// So many of the next sweeps heard of do not count: they began before the last restart, or smoothing is to blame.
    stale: u32,
    /// Corrections may grow.
    is_patient: bool,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { t: START, still: STILL, age: 0, sizes: [f64::INFINITY; LOOK_BACK + 1], stale: 0, is_patient: false }
    }
}

impl Momentum {
    /// How sweep `sweep`, the next, is to be made.
    pub fn next(&mut self, watch: &ConvergenceMonitor, sweep: u32) -> SweepKind {
        if watch.is_plain(sweep) {
            self.rest();
            return SweepKind::Plain;
        }
        if watch.is_smoothing(sweep) {
            self.smooth();
            return SweepKind::Smoothing;
        }
        self.allow_growth(watch.is_support_rising(sweep));
        SweepKind::Extrapolated(self.advance())
    }

    /// The factor of the next sweep.
    pub fn advance(&mut self) -> f64 {
        if self.still > 0 {
            self.still -= 1;
            return 0.0;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let factor = (self.t - 1.0) / next;
        self.t = next;
        factor
    }

    /// A sweep is made that only smooths: neither what is under way counts nor the next two.
    fn smooth(&mut self) {
        self.stale = 3;
    }

    /// Plain sweeps are made for a while: what comes after them begins anew, and what is under way does not count.
    fn rest(&mut self) {
        *self = Self { stale: 1, ..Self::default() };
    }

    /// May corrections grow from now on? Not unless told so.
    pub fn allow_growth(&mut self, allowed: bool) {
        self.is_patient = allowed;
    }

    /// What the sweep before the last one changed, over all contacts.
    pub fn hear(&mut self, change: &Change) {
        if self.stale > 0 {
            self.stale -= 1;
            return;
        }
        self.age += 1;
        self.sizes.rotate_left(1);
        self.sizes[LOOK_BACK] = change.size;
        let has_grown = self.age > PATIENCE && change.size > self.sizes[0];
        // Corrections point back along the last change, by which impulses were moved on; or, where a wave must not be
        // stopped, undo all of it.
        let least = if self.is_patient { 0.0 } else { -change.size };
        if change.against > least || (has_grown && !self.is_patient) {
            *self = Self { t: RESTART, stale: 1, still: 0, is_patient: self.is_patient, ..Self::default() };
        }
    }
}

/// Impulses and velocities before the last sweep.
#[derive(Clone, Debug)]
pub struct MomentumState<X: Dim> {
    /// Of the lines that are the problem's own.
    pub twists: ScratchVec<Velocity<X>>,
    /// Of the contacts that are swept one by one, round ones first.
    pub(super) impulses: Vec<X::Vector>,
}

impl<X: Dim> Default for MomentumState<X> {
    fn default() -> Self {
        Self { twists: ScratchVec::default(), impulses: Vec::new() }
    }
}

impl<X: Dim> MomentumState<X> {
    /// Before the first sweep: nothing has changed yet.
    pub fn start(&mut self, problem: &mut ContactProblem<X>) {
        keep(&mut self.twists, problem.lines.own().iter());
        problem.pack();
        problem.keep_old_impulses(&mut self.impulses);
    }

    /// Moves the velocities of the lines that are the problem's own on by `factor` times their last change. The impulses follow
    /// one by one in the sweep.
    pub fn extrapolate(&mut self, lines: &mut [BodyVelocity<X>], factor: f64) {
        lines.iter_mut().zip(&mut *self.twists).for_each(|(line, old)| extrapolate(line, old, factor));
    }
}

/// One body: (V, V_old) becomes (V + factor (V - V_old), V).
#[inline(always)]
pub fn extrapolate<X: Dim>(line: &mut BodyVelocity<X>, old: &mut Velocity<X>, factor: f64) {
    let now = line.twist();
    line.velocity += (now.velocity - old.velocity) * factor;
    line.spin += (now.spin - old.spin) * factor;
    *old = now;
}

/// How a sweep treats the impulse it finds at a contact, and what it counts.
pub(super) trait SweepPolicy<V: Vector> {
    /// Where the local solution starts from, given the impulse `x`.
    fn start(&mut self, x: V) -> V;
    /// The contact went from `y` to `z`; `w` is its inverse effective mass.
    fn count(&mut self, y: V, z: V, w: impl Fn() -> f64);
    /// What all contacts did.
    fn change(&self) -> Change;
}

/// Plain Gauss-Seidel.
#[derive(Default)]
pub(super) struct PlainPolicy(Change);

impl<V: Vector> SweepPolicy<V> for PlainPolicy {
    #[inline(always)]
    fn start(&mut self, x: V) -> V {
        x
    }
    #[inline(always)]
    fn count(&mut self, y: V, z: V, _: impl Fn() -> f64) {
        self.0.corrections += (z - y).norm2();
    }
    fn change(&self) -> Change {
        self.0
    }
}

/// With momentum; the contacts must come in the order of the old impulses.
pub(super) struct AcceleratedPolicy<'a, V: Vector> {
    factor: f64,
    old: std::slice::IterMut<'a, V>,
    x: V,
    change: Change,
}

impl<'a, V: Vector> AcceleratedPolicy<'a, V> {
    pub(super) fn new(factor: f64, old: &'a mut [V]) -> Self {
        Self { factor, old: old.iter_mut(), x: V::zero(), change: Change::default() }
    }
}

impl<V: Vector> SweepPolicy<V> for AcceleratedPolicy<'_, V> {
    #[inline(always)]
    fn start(&mut self, x: V) -> V {
        self.x = x;
        // As many old impulses as contacts: both were counted before the first sweep.
        self.old.next().map_or(x, |old| x + (x - std::mem::replace(old, x)) * self.factor)
    }
    #[inline(always)]
    fn count(&mut self, y: V, z: V, w: impl Fn() -> f64) {
        let (correction, w) = (z - y, w());
        let size = correction.norm2();
        self.change.corrections += size;
        self.change.size += w * size;
        self.change.against -= w * correction.dot(&(z - self.x));
    }
    fn change(&self) -> Change {
        self.change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(size: f64) -> Change {
        Change { size, against: -2.0 * size, ..Change::default() }
    }

    /// The first factor that is not zero.
    fn first() -> f64 {
        let mut momentum = Momentum::default();
        momentum.advance();
        momentum.advance()
    }

    #[test]
    fn the_first_sweep_is_plain_and_the_factors_grow_from_a_half_towards_one() {
        let mut momentum = Momentum::default();
        let factors: Vec<f64> = (0..100).map(|_| momentum.advance()).collect();
        assert!(factors[0] == 0.0 && factors[1] > 0.5);
        assert!(factors[1..].windows(2).all(|pair| pair[0] < pair[1]) && factors[99] > 0.95 && factors[99] < 1.0);
    }

    #[test]
    fn the_first_sweep_has_no_momentum_and_the_last_before_a_check_only_smooths() {
        let settings = SolverSettings { max_sweeps: 1000, ..SolverSettings::default() };
        let (watch, mut momentum) = (ConvergenceMonitor::new(&settings), Momentum::default());
        let kinds: Vec<_> = (1..=ConvergenceMonitor::FIRST).map(|sweep| momentum.next(&watch, sweep)).collect();
        assert_eq!((kinds[0], kinds[1]), (SweepKind::Extrapolated(0.0), SweepKind::Extrapolated(first())));
        assert_eq!(kinds.iter().position(|kind| *kind == SweepKind::Smoothing), Some(kinds.len() - 1));
    }

    #[test]
    fn a_sweep_that_undoes_part_of_its_momentum_restarts_unless_corrections_may_grow() {
        let cases =
            [(-1.0, false, false), (-0.9, false, true), (-0.9, true, false), (0.1, false, true), (0.1, true, true)];
        for (against, may_grow, is_restart) in cases {
            let mut momentum = Momentum::default();
            momentum.allow_growth(may_grow);
            (0..5).for_each(|_| _ = momentum.advance());
            momentum.hear(&Change { size: 1.0, against, ..Change::default() });
            assert_eq!(momentum.advance() == 0.0, is_restart);
        }
    }

    #[test]
    fn what_smoothing_leaves_to_the_next_sweep_is_no_reason_to_restart() {
        let bad = Change { against: 1.0, ..good(1.0) };
        let mut momentum = Momentum::default();
        (0..5).for_each(|_| _ = momentum.advance());
        momentum.smooth();
        for _ in 0..3 {
            momentum.hear(&bad);
            assert!(momentum.advance() > first());
        }
        momentum.hear(&bad);
        assert_eq!(momentum.advance(), 0.0);
    }

    #[test]
    fn after_plain_sweeps_it_begins_with_one_more_and_what_was_under_way_does_not_count() {
        let mut momentum = Momentum::default();
        (0..5).for_each(|_| _ = momentum.advance());
        momentum.rest();
        assert_eq!(momentum.advance(), 0.0);
        momentum.hear(&Change { against: 1.0, ..good(1.0) });
        assert_eq!(momentum.advance(), first());
        assert!(momentum.advance() > first());
    }

    #[test]
    fn a_sweep_that_turns_back_restarts_and_what_was_under_way_does_not_count() {
        let mut momentum = Momentum::default();
        (0..5).for_each(|_| _ = momentum.advance());
        momentum.hear(&Change { against: 1.0, ..good(1.0) });
        assert_eq!(momentum.advance(), 0.0);
        momentum.hear(&Change { against: 1.0, ..good(1.0) });
        assert!(momentum.advance() > 0.0);
        momentum.hear(&Change { against: 1.0, ..good(1.0) });
        assert_eq!(momentum.advance(), 0.0);
    }

    #[test]
    fn corrections_that_have_not_shrunk_in_seven_sweeps_restart_but_not_at_once() {
        let mut momentum = Momentum::default();
        for sweep in 1..=PATIENCE {
            momentum.advance();
            momentum.hear(&good(f64::from(sweep)));
        }
        assert!(momentum.advance() > first());
        momentum.hear(&good(f64::from(PATIENCE + 1)));
        assert_eq!(momentum.advance(), 0.0);
    }

    #[test]
    fn corrections_may_grow_while_that_is_allowed_but_a_sweep_that_turns_back_restarts_all_the_same() {
        let mut momentum = Momentum::default();
        momentum.allow_growth(true);
        for sweep in 1..100 {
            let factor = momentum.advance();
            momentum.hear(&good(f64::from(sweep)));
            assert!(sweep < 3 || factor > first());
        }
        momentum.hear(&Change { against: 1.0, ..good(1.0) });
        assert_eq!(momentum.advance(), 0.0);
    }
}
