//! C4, J. J. Moreau and M. Jean, Numerical treatment of contact and friction: the contact dynamics method.

use crate::runs::{Run, mean};

/// Maximum stress ratio; void ratio at the start of shear, minimum and final; mean share of sliding contacts.
fn sheared(run: &Run) -> (f64, [f64; 3], f64) {
    let (stress, contacts) = (run.measure("stress"), run.measure("contacts"));
    let begin = stress.get("time_s").iter().position(|&time| time >= 0.2).unwrap();
    let ratio = stress.get("stress_xx_N_m").iter().zip(stress.get("stress_yy_N_m")).map(|(x, y)| x / y);
    let voids = &stress.get("void_ratio")[begin..];
    let least = voids.iter().copied().fold(f64::INFINITY, f64::min);
    let sliding = mean(&contacts.get("sliding_share")[begin + 1..]);
    (ratio.skip(begin).fold(0.0, f64::max), [voids[0], least, voids[voids.len() - 1]], sliding)
}

#[test]
fn dense_disks_under_biaxial_load_peak_contract_and_dilate_while_friction_takes_energy() {
    for friction in ["0.3", "0.5"] {
        // Compressed without friction to be dense; sheared with friction.
        let run = Run::with("biaxial", &["--set", "laws.0.coulomb.friction=0", "--stop-after", "400"]);
        run.resume(&["--set", &format!("laws.0.coulomb.friction={friction}"), "--accept-changes"]);
        let (peak, [first, least, last], sliding) = sheared(&run);
        println!(
            "friction {friction}: peak {peak:.2}, void ratio {first:.4} {least:.4} {last:.4}, sliding {sliding:.3}"
        );
        assert!((1.5..4.0).contains(&peak), "{peak}");
        assert!(least < first && last > first, "contraction, then dilation: {first} {least} {last}");
        assert!((0.01..0.5).contains(&sliding), "{sliding}");
        let energy = run.measure("energy");
        // During shear; a contact that starts to stick returns a little energy in a single step.
        let taken = &energy.get("dissipated_friction_J")[60..];
        let grows = taken.iter().zip(taken.iter().skip(10)).all(|(before, after)| after > before);
        assert!(grows && taken[taken.len() - 1] > 100.0, "friction takes energy: {taken:?}");
    }
}
