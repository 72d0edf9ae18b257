//! Momentum (Nesterov acceleration) of the sweeps, with adaptive restart.
//!
//! Nesterov's extrapolation around a Gauss-Seidel sweep, with adaptive restart (O'Donoghue and Candes 2015, Adaptive
//! restart for accelerated gradient schemes): impulses r and velocities V are extrapolated by beta times their last
//! change, which keeps them consistent because V is linear in r; the sweep then corrects both. The restart test of a
//! sweep takes effect one sweep later, so that its reduction over all processes overlaps with that sweep.
//!
//! The sequence of factors starts above one half: the smaller factors of Nesterov's sequence would only waste sweeps.
//! After a restart it starts from zero, because modes that friction sustains would never decay otherwise. Large factors
//! leave small oscillating corrections at every contact, which dominate the residual; so the last sweep before each
//! check is plain and damped ([`SolverSettings::smoothing`]). The sweep after it extrapolates by the change of both,
//! but its corrections and those of the next one are mostly a remainder of the damping and no reason to restart.
//!
//! The support of the floor travels up a heap as a long wave. With momentum it takes three or four sweeps per layer;
//! plain sweeps need ever more. Meanwhile small oscillating corrections appear everywhere and grow. Corrections may
//! therefore grow while the velocity error is farther from its tolerance than the residual and decreases
//! ([`ConvergenceMonitor::is_support_rising`]).

use super::Change;
use crate::solver::{ConvergenceMonitor, SolverSettings};

/// Number of sweeps over which the corrections must have shrunk.
const LOOK_BACK: usize = 7;
/// Number of sweeps after a restart during which they need not shrink.
const PATIENCE: u32 = 10;

/// Number of sweeps without extrapolation before the sequence.
const DELAY: u32 = 1;
/// Nesterov's t at the start of a solve.
const START: f64 = 3.0;
/// Nesterov's t after a restart.
const RESTART: f64 = 1.0;

/// Fraction of each correction that a smoothing sweep applies.
const SMOOTHING: f64 = 0.7;

impl SolverSettings {
    /// Settings of a smoothing sweep: damped.
    pub fn smoothing(&self) -> Self {
        Self { relaxation: SMOOTHING * self.relaxation, ..self.clone() }
    }
}

/// Kind of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SweepKind {
    /// Plain NLGS.
    Plain,
    /// Plain and damped, with the settings of [`SolverSettings::smoothing`].
    Smoothing,
    /// From a state extrapolated by this factor.
    Extrapolated(f64),
}

/// State of the sequence of extrapolation factors.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    /// Nesterov's t.
    t: f64,
    /// Remaining sweeps without extrapolation.
    delay: u32,
    /// Restart tests since the last restart.
    age: u32,
    /// Sizes of the corrections of the last sweeps, the latest last.
    sizes: [f64; LOOK_BACK + 1],
    /// Number of the next restart tests to ignore: their sweeps began before the last restart or suffer from smoothing.
    stale: u32,
    /// May corrections grow?
    may_grow: bool,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { t: START, delay: DELAY, age: 0, sizes: [f64::INFINITY; LOOK_BACK + 1], stale: 0, may_grow: false }
    }
}

impl Momentum {
    /// Kind of sweep number `sweep`, the next one.
    pub fn next(&mut self, monitor: &ConvergenceMonitor, sweep: u32) -> SweepKind {
        if monitor.is_plain(sweep) {
            self.start_anew();
            return SweepKind::Plain;
        }
        if monitor.is_smoothing(sweep) {
            self.ignore_smoothing();
            return SweepKind::Smoothing;
        }
        self.allow_growth(monitor.is_support_rising(sweep));
        SweepKind::Extrapolated(self.advance())
    }

    /// Extrapolation factor of the next sweep.
    pub fn advance(&mut self) -> f64 {
        if self.delay > 0 {
            self.delay -= 1;
            return 0.0;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let factor = (self.t - 1.0) / next;
        self.t = next;
        factor
    }

    /// For a smoothing sweep: ignores the pending restart test and the next two.
    fn ignore_smoothing(&mut self) {
        self.stale = 3;
    }

    /// For a plain sweep: starts the sequence anew and ignores the pending restart test.
    fn start_anew(&mut self) {
        *self = Self { stale: 1, ..Self::default() };
    }

    /// Sets whether corrections may grow from now on; by default they may not.
    pub fn allow_growth(&mut self, allowed: bool) {
        self.may_grow = allowed;
    }

    /// Restart test; `change` is that of the sweep before the last one, over all contacts.
    pub fn restart_test(&mut self, change: &Change) {
        if self.stale > 0 {
            self.stale -= 1;
            return;
        }
        self.age += 1;
        self.sizes.rotate_left(1);
        self.sizes[LOOK_BACK] = change.size;
        let has_grown = self.age > PATIENCE && change.size > self.sizes[0];
        // Corrections that oppose the extrapolation cause a restart; where corrections may grow, only those that undo
        // all of it.
        let limit = if self.may_grow { 0.0 } else { -change.size };
        if change.against > limit || (has_grown && !self.may_grow) {
            *self = Self { t: RESTART, stale: 1, delay: 0, may_grow: self.may_grow, ..Self::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(size: f64) -> Change {
        Change { size, against: -2.0 * size, ..Change::default() }
    }

    /// The first nonzero factor.
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
        let (monitor, mut momentum) = (ConvergenceMonitor::new(&settings), Momentum::default());
        let kinds: Vec<_> = (1..=ConvergenceMonitor::FIRST).map(|sweep| momentum.next(&monitor, sweep)).collect();
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
            momentum.restart_test(&Change { size: 1.0, against, ..Change::default() });
            assert_eq!(momentum.advance() == 0.0, is_restart);
        }
    }

    #[test]
    fn what_smoothing_leaves_to_the_next_sweep_is_no_reason_to_restart() {
        let bad = Change { against: 1.0, ..good(1.0) };
        let mut momentum = Momentum::default();
        (0..5).for_each(|_| _ = momentum.advance());
        momentum.ignore_smoothing();
        for _ in 0..3 {
            momentum.restart_test(&bad);
            assert!(momentum.advance() > first());
        }
        momentum.restart_test(&bad);
        assert_eq!(momentum.advance(), 0.0);
    }

    #[test]
    fn after_plain_sweeps_it_begins_with_one_more_and_what_was_under_way_does_not_count() {
        let mut momentum = Momentum::default();
        (0..5).for_each(|_| _ = momentum.advance());
        momentum.start_anew();
        assert_eq!(momentum.advance(), 0.0);
        momentum.restart_test(&Change { against: 1.0, ..good(1.0) });
        assert_eq!(momentum.advance(), first());
        assert!(momentum.advance() > first());
    }

    #[test]
    fn a_sweep_that_turns_back_restarts_and_what_was_under_way_does_not_count() {
        let mut momentum = Momentum::default();
        (0..5).for_each(|_| _ = momentum.advance());
        momentum.restart_test(&Change { against: 1.0, ..good(1.0) });
        assert_eq!(momentum.advance(), 0.0);
        momentum.restart_test(&Change { against: 1.0, ..good(1.0) });
        assert!(momentum.advance() > 0.0);
        momentum.restart_test(&Change { against: 1.0, ..good(1.0) });
        assert_eq!(momentum.advance(), 0.0);
    }

    #[test]
    fn corrections_that_have_not_shrunk_in_seven_sweeps_restart_but_not_at_once() {
        let mut momentum = Momentum::default();
        for sweep in 1..=PATIENCE {
            momentum.advance();
            momentum.restart_test(&good(f64::from(sweep)));
        }
        assert!(momentum.advance() > first());
        momentum.restart_test(&good(f64::from(PATIENCE + 1)));
        assert_eq!(momentum.advance(), 0.0);
    }

    #[test]
    fn corrections_may_grow_while_that_is_allowed_but_a_sweep_that_turns_back_restarts_all_the_same() {
        let mut momentum = Momentum::default();
        momentum.allow_growth(true);
        for sweep in 1..100 {
            let factor = momentum.advance();
            momentum.restart_test(&good(f64::from(sweep)));
            assert!(sweep < 3 || factor > first());
        }
        momentum.restart_test(&Change { against: 1.0, ..good(1.0) });
        assert_eq!(momentum.advance(), 0.0);
    }
}
