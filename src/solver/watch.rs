//! When a solve is looked at, and when it is over.
//!
//! A check takes a pass over all contacts and a sum over all processes. The first comes after the thirtieth sweep, the
//! next always k sweeps later, k = sqrt(n) after n sweeps, but at least 10 and at most 50: the sweeps made too many
//! (k/2 on average) then cost as much as the checks (n/k of them, half a sweep each). Before the first check there are
//! glances, after sweeps 1, 2, 4, 8, 16: did the sweep change anything to speak of? If not, there is a check after the next
//! sweep; while that is made the answer to the glance may travel. All this follows from the number of sweeps alone.
//!
//! The velocity error to come is estimated from a change that goes on as one over the number of sweeps: since the
//! velocities ten sweeps before a check, which are marked then. With momentum that change has lulls, and a tall heap that
//! only begins to feel its floor would pass for solved in one; so there it is also estimated from how much farther the
//! velocities are from the free ones than about half as many sweeps ago, and the larger of the two counts.
//!
//! That growth also tells when momentum must not start anew: support climbs up a heap from its floor as a wave, which each
//! new start of momentum stops while contacts obey their laws ever better. 45 218 disks at rest in a box, cold: restarted
//! whenever corrections grow, a residual of 1e-4 leaves 0.89 of the velocities wrong and 0.85 of the weight unsupported.

use super::certificate::ratio;
use super::{Certificate, Change, Method, Residual, Settings};

/// Sweeps over which the change of the velocities is measured, and the least between two checks.
const WINDOW: u32 = 10;
/// The most sweeps between two checks.
const LONGEST: u32 = 50;

/// A residual of less than this share of the least so far is progress...
const PROGRESS: f64 = 0.9;
/// ...which must come within so many sweeps, or half as many as it took so far.
const HOPE: u32 = 60;

/// Velocities that leave the free ones by this share more, if they go on so for as many sweeps again, are still rising.
const RISING: f64 = 0.1;

/// What is to be done after a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// Ask whether the sweep changed anything to speak of.
    Glance,
    /// Mark the velocities.
    Mark,
    /// Ask for the certificate.
    Check,
}

/// What a check finds out, over all contacts and bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Findings {
    /// Sum of |correction|^2 of the last sweep.
    pub corrections: f64,
    /// How far the laws are from being satisfied.
    pub residual: Residual,
    /// Kinetic norms squared of the change since the mark and of the change since the free velocities.
    pub norms: [f64; 2],
}

/// Watches a solve and decides when it is over.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// Sweep of the next check.
    next: u32,
    /// The greatest number of sweeps.
    cap: u32,
    /// Sweep at which velocities were marked.
    marked: u32,
    /// At two earlier checks, each about twice as late as the one before: the sweep, and how far the velocities were from
    /// the free ones, squared.
    earlier: [(u32, f64); 2],
    /// At the last check: the sweep, and how far the velocities were from the free ones.
    last: (u32, f64),
    /// Were they rising then, and at the check before?
    rising: [bool; 2],
    /// The least residual since the last turn, and the sweep of that check.
    best: (u32, f64),
    /// The check that turned from momentum to plain sweeps or back, and whether they are plain since.
    turn: (u32, bool),
    certificate: Certificate,
}

impl Watch {
    /// No check before this sweep, unless sweeps change next to nothing.
    pub const FIRST: u32 = 30;

    /// Before the first sweep; the velocities there are marked.
    pub fn new(settings: &Settings) -> Self {
        Self {
            next: Self::FIRST.min(settings.max_sweeps),
            cap: settings.max_sweeps,
            marked: 0,
            earlier: [(0, 0.0); 2],
            last: (0, 0.0),
            rising: [false; 2],
            best: (0, f64::INFINITY),
            turn: (0, false),
            certificate: Certificate::default(),
        }
    }

    /// The check after one at sweep `sweep`.
    fn after(&self, sweep: u32) -> u32 {
        (sweep + sweep.isqrt().clamp(WINDOW, LONGEST)).max(Self::FIRST).min(self.cap)
    }

    /// Will a check be due after sweep `sweep`, which is to be made? The check before may still be on its way.
    fn is_last(&self, sweep: u32) -> bool {
        sweep == if sweep > self.next { self.after(self.next) } else { self.next }
    }

    /// Is sweep `sweep` with momentum to smooth what the sweeps before it left to a check? Not the first.
    pub fn is_smoothing(&self, sweep: u32) -> bool {
        sweep > 1 && self.is_last(sweep)
    }

    /// What is due after sweep `sweep`.
    pub fn due(&self, sweep: u32) -> Due {
        match sweep {
            _ if sweep == self.next => Due::Check,
            _ if sweep + WINDOW == self.next => Due::Mark,
            _ if sweep < Self::FIRST && sweep.is_power_of_two() => Due::Glance,
            _ => Due::Nothing,
        }
    }

    /// The velocities after sweep `sweep` have been marked.
    pub fn mark(&mut self, sweep: u32) {
        self.marked = sweep;
    }

    /// Judge the state after sweep `sweep`, whose velocities have been marked. True: stop.
    pub fn check(&mut self, sweep: u32, settings: &Settings, findings: &Findings) -> bool {
        let Findings { corrections, residual, norms } = findings;
        let change = Change { corrections: *corrections, ..Change::default() };
        let fixed_point = change.is_fixed_point(residual.impulses, settings);
        let window = f64::from(sweep.saturating_sub(self.marked).max(1));
        let lately = f64::from(sweep) / window * ratio(norms[0], norms[1]);
        let growth = self.growth(sweep, norms[1], settings.method);
        let velocity_error = if fixed_point { 0.0 } else { lately.max(growth) };
        let is_due = sweep >= self.next || change.is_calm(residual.impulses, settings);
        let certificate = Certificate {
            residual: residual.relative(),
            worst: residual.largest(),
            velocity_error,
            sweeps: sweep,
            converged: false,
            contacts: residual.contacts,
            active: residual.active,
        };
        let is_lawful = certificate.residual <= settings.tolerance;
        let small = is_lawful && velocity_error <= settings.velocity_error;
        self.certificate = Certificate { converged: is_due && small, ..certificate };
        let is_rising = self.rise(sweep, norms[1].sqrt()) > RISING || growth > settings.velocity_error;
        self.rising = [is_lawful && is_rising, self.rising[0]];
        if is_due && certificate.residual < PROGRESS * self.best.1 {
            self.best = (sweep, certificate.residual);
        } else if is_due && !is_lawful && sweep > self.best.0 + HOPE.max(self.best.0 / 2) {
            (self.best, self.turn) = ((sweep, certificate.residual), (sweep, !self.turn.1));
        }
        self.marked = sweep;
        self.next = self.after(sweep);
        self.certificate.converged || fixed_point
    }

    /// The error to come by how much farther from the free velocities the present ones are than half as many sweeps ago:
    /// `distance`, squared, after sweep `sweep`. A floor that is felt one layer further up with every sweep makes its square
    /// grow in proportion.
    fn growth(&mut self, sweep: u32, distance: f64, method: Method) -> f64 {
        if sweep < Self::FIRST || method != Method::Accelerated {
            return 0.0;
        }
        let is_far = |(then, _): (u32, f64)| 2 * sweep >= 3 * then;
        let (then, before) = self.earlier[usize::from(is_far(self.earlier[1]))];
        if sweep >= 2 * self.earlier[1].0 {
            self.earlier = [self.earlier[1], (sweep, distance)];
        }
        let change = (distance - before).abs();
        if change == 0.0 { 0.0 } else { change / distance * f64::from(then) / f64::from(sweep - then) }
    }

    /// By which share more velocities would leave the free ones in as many sweeps again, if they went on as since the last
    /// check: now they are as far as `distance`.
    fn rise(&mut self, sweep: u32, distance: f64) -> f64 {
        let (then, before) = std::mem::replace(&mut self.last, (sweep, distance));
        let pace = f64::from(sweep) / f64::from(sweep.saturating_sub(then).max(1));
        if distance > 0.0 { pace * (distance - before) / distance } else { 0.0 }
    }

    /// Do contacts obey their laws in sweep `sweep`, and is something great still on its way all the same? A tall heap feels
    /// its floor last at its top. As with [`is_plain`](Self::is_plain) a check counts from the next sweep but one.
    pub fn is_rising(&self, sweep: u32) -> bool {
        self.rising[usize::from(sweep < self.last.0 + 2)]
    }

    /// Are plain sweeps to be tried in sweep `sweep`? With high friction residuals can hover above the tolerance for ever,
    /// where plain sweeps get there; or for long, where momentum gathers way. So whichever makes no progress gives way to the
    /// other. The answer to a check may be a sweep on its way, so it counts from the next but one.
    pub fn is_plain(&self, sweep: u32) -> bool {
        let (check, is_plain) = self.turn;
        is_plain != (check > 0 && sweep < check + 2)
    }

    /// The outcome.
    pub fn certificate(&self) -> Certificate {
        self.certificate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not solved, with velocities that changed by `change` since the mark and by 1 since the start.
    fn moving(change: f64) -> Findings {
        let residual = Residual { violation: 0.0, impulses: 1.0, worst: 0.0, contacts: 1, active: 1 };
        Findings { corrections: 1.0, residual, norms: [change * change, 1.0] }
    }

    /// Sweeps of checks and marks of a solve that never converges.
    fn schedule(cap: u32) -> (Vec<u32>, Vec<u32>) {
        let settings = Settings { max_sweeps: cap, ..Settings::default() };
        let mut watch = Watch::new(&settings);
        let (mut checks, mut marks) = (Vec::new(), Vec::new());
        for sweep in 1..=cap {
            match watch.due(sweep) {
                Due::Check => {
                    checks.push(sweep);
                    assert!(!watch.check(sweep, &settings, &moving(1.0)));
                }
                Due::Mark => {
                    marks.push(sweep);
                    watch.mark(sweep);
                }
                Due::Glance | Due::Nothing => {}
            }
        }
        (checks, marks)
    }

    #[test]
    fn checks_come_every_ten_sweeps_at_first_then_more_rarely_and_always_at_the_cap() {
        let (checks, _) = schedule(1000);
        assert_eq!(checks[..9], [30, 40, 50, 60, 70, 80, 90, 100, 110]);
        assert_eq!(*checks.last().unwrap(), 1000);
        for pair in checks.windows(2).take(checks.len() - 2) {
            let interval = pair[1] - pair[0];
            assert!((10..=50).contains(&interval) && interval <= pair[0].isqrt().max(10), "{pair:?}");
        }
        assert!(checks.len() < 60, "{}", checks.len());
        assert_eq!(schedule(7).0, [7]);
        assert_eq!(schedule(45).0, [30, 40, 45]);
    }

    #[test]
    fn the_sweep_before_a_check_is_known_before_it_is_made_even_while_the_check_before_is_on_its_way() {
        for cap in [1, 2, 29, 30, 31, 32, 41, 200] {
            let settings = Settings { max_sweeps: cap, ..Settings::default() };
            let (checks, _) = schedule(cap);
            for late in [false, true] {
                let mut watch = Watch::new(&settings);
                let mut asked = None;
                for sweep in 1..=cap {
                    assert_eq!(watch.is_last(sweep), checks.contains(&sweep), "{sweep} of {cap}");
                    assert_eq!(watch.is_smoothing(sweep), sweep > 1 && checks.contains(&sweep));
                    if let Some(then) = asked.take() {
                        watch.check(then, &settings, &moving(1.0));
                    }
                    match watch.due(sweep) {
                        Due::Check if late => asked = Some(sweep),
                        Due::Check => assert!(!watch.check(sweep, &settings, &moving(1.0))),
                        Due::Mark => watch.mark(sweep),
                        Due::Glance | Due::Nothing => {}
                    }
                }
            }
        }
    }

    #[test]
    fn velocities_are_marked_ten_sweeps_before_every_check_that_does_not_follow_another_so_closely() {
        let (checks, marks) = schedule(1000);
        let mut expected: Vec<u32> = checks.iter().map(|check| check - 10).filter(|m| !checks.contains(m)).collect();
        let before_last = checks[checks.len() - 2];
        expected.retain(|&mark| mark < 990 || mark > before_last);
        assert_eq!(marks, expected);
        assert_eq!(schedule(20).1, [10]);
    }

    #[test]
    fn the_error_to_come_does_not_depend_on_how_long_the_window_is() {
        let settings = Settings { max_sweeps: 45, ..Settings::default() };
        let mut watch = Watch::new(&settings);
        for (mark, sweep, change) in [(20, 30, 0.2), (30, 40, 0.15), (40, 45, 0.2 / 3.0)] {
            watch.mark(mark);
            watch.check(sweep, &settings, &moving(change));
            assert!((watch.certificate().velocity_error - 0.6).abs() < 1e-9);
        }
    }

    #[test]
    fn a_lull_of_momentum_while_velocities_still_leave_the_free_ones_does_not_pass_for_the_end() {
        let settings = Settings { max_sweeps: 1000, method: Method::Accelerated, ..Settings::default() };
        let mut watch = Watch::new(&settings);
        for sweep in 1..=300 {
            if watch.due(sweep) == Due::Check {
                // As many bodies have left their free velocities as there were sweeps; all but still since the mark.
                watch.mark(sweep - 10);
                let over = watch.check(sweep, &settings, &Findings { norms: [1e-9, f64::from(sweep)], ..moving(0.0) });
                let error = watch.certificate().velocity_error;
                assert!(sweep < 45 || (!over && error > 0.3), "{error} after {sweep}");
            }
        }
    }

    #[test]
    fn where_a_residual_hovers_momentum_and_plain_sweeps_take_turns_from_the_second_sweep_after_a_check() {
        let settings = Settings { max_sweeps: 1000, tolerance: 1e-9, ..Settings::default() };
        let mut watch = Watch::new(&settings);
        let mut turns = vec![(0, false)];
        for sweep in 1..=500 {
            if watch.is_plain(sweep) != turns[turns.len() - 1].1 {
                turns.push((sweep, watch.is_plain(sweep)));
            }
            if watch.due(sweep) == Due::Check {
                // Falls until sweep 50, and from sweep 300 on.
                let falling = f64::from(sweep.min(50) + sweep.saturating_sub(300));
                let residual = Residual { violation: falling.powi(-2), ..moving(1.0).residual };
                watch.check(sweep, &settings, &Findings { residual, ..moving(1.0) });
            }
        }
        assert_eq!(turns, [(0, false), (122, true), (191, false), (294, true)]);
    }

    #[test]
    fn before_the_first_check_only_calm_ends_a_solve_and_only_if_the_certificate_holds() {
        let settings = Settings::default();
        let mut watch = Watch::new(&settings);
        assert!(!watch.check(2, &settings, &moving(1e-9)));
        assert_eq!((watch.due(20), watch.due(30)), (Due::Mark, Due::Check));
        // Corrections a ten thousandth of the tolerance, squared.
        let calm = |change: f64| Findings { corrections: 0.9e-14, ..moving(change) };
        assert!(!watch.check(3, &settings, &calm(0.5)));
        let unlawful = Residual { violation: 1e-5, ..calm(1e-3).residual };
        assert!(!watch.check(5, &settings, &Findings { residual: unlawful, ..calm(1e-3) }));
        assert!(!watch.certificate().converged);
        assert_eq!((watch.due(20), watch.due(30)), (Due::Mark, Due::Check));
        assert!(watch.check(9, &settings, &calm(1e-3)) && watch.certificate().converged);
    }

    #[test]
    fn a_fixed_point_ends_a_solve_whatever_came_before_it() {
        let settings = Settings::default();
        let mut watch = Watch::new(&settings);
        assert!(watch.check(3, &settings, &Findings { corrections: 0.0, ..moving(1.0) }));
        assert!(watch.certificate().converged);
    }

    #[test]
    fn velocities_that_still_leave_the_free_ones_are_rising_once_contacts_obey_their_laws_two_sweeps_after_a_check() {
        let settings = Settings { max_sweeps: 1000, method: Method::Accelerated, ..Settings::default() };
        let mut watch = Watch::new(&settings);
        let mut rising = Vec::new();
        for sweep in 1..=400 {
            if watch.is_rising(sweep) {
                rising.push(sweep);
            }
            if watch.due(sweep) == Due::Check {
                watch.mark(sweep - 10);
                // Lawful from sweep 60 on, rising until sweep 150.
                let violation = if sweep < 60 { 1.0 } else { 0.0 };
                let residual = Residual { violation, ..moving(1.0).residual };
                let norms = [1.0, f64::from(sweep.min(150)).powi(2)];
                watch.check(sweep, &settings, &Findings { residual, norms, ..moving(1.0) });
            }
        }
        assert_eq!(rising.first(), Some(&62));
        assert!(rising.windows(2).all(|pair| pair[1] == pair[0] + 1));
        // The change since half as many sweeps ago is small some time later.
        assert!((150..300).contains(rising.last().unwrap()), "{rising:?}");
    }
}
