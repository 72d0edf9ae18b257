#![allow(clippy::unwrap_used, missing_docs)]
mod support;
use support::*;
use nscdd::dim::*;
use nscdd::contactor::*;
#[test]
fn probe() {
    for h in [1e-3, 5e-4] {
    let grain = Grain { corners: 12, aspect: 0.8, irregularity: 0.3 };
    let mut world = World::<Space>::new(h).subdomains(2).tolerance(1e-3, 0.3);
    world.plan.solver.max_sweeps = 500;
    let side = 6u32;
    world.open_box(0.21 * f64::from(side));
    let mut dice = Dice(17);
    for i in 0..300u32 {
        let index = |k: u32| if k + 1 == 3 { i / side.pow(k) } else { i / side.pow(k) % side };
        let place = nalgebra::Vector3::from_fn(|k,_| 0.105 + 0.21 * f64::from(index(k as u32)));
        let (p, m) = grain.polyhedron(u64::from(i % 7)).unwrap();
        if i < 7 { println!("inner {} reach {} faces {}", p.inner_radius(), p.reach(), p.faces.len()); }
        let id = world.block(place, &p, m, 0.1);
        let turn = nalgebra::Vector3::from_fn(|_,_| 3.0 * dice.roll());
        let s = world.state(id);
        s.orientation = s.orientation.turned(turn);
        s.velocity.z = -1.0;
    }
    let mut sim = world.build();
    let mut last = 0.0; let mut unconv = 0; let mut sweeps = 0u64; let n = (0.8/h) as usize;
    for k in 0..n {
        let r = sim.step().unwrap();
        unconv += !r.certificate.converged as u32; sweeps += r.certificate.sweeps as u64;
        if r.totals.max_penetration > last * 1.05 && r.totals.max_penetration > 0.005 {
            let mut worst = (0.0, String::new());
            for s in sim.domain().subdomains() { for (i,c) in s.contacts().iter().enumerate() { if c.gap < worst.0 {
                let [a,b] = [s.body(c.a), s.body(c.b)].map(|i| sim.bodies.states()[i]);
                worst = (c.gap, format!("ids {:?} {:?} feature {:x} n {:?} v {:.2} {:.2} w {:.1} {:.1} r {:.3e} ncontacts {}", a.id, b.id, c.feature, c.normal.as_slice(), a.velocity.norm(), b.velocity.norm(), a.spin.norm(), b.spin.norm(), s.impulse(i).norm(), s.contacts().iter().filter(|d| d.a==c.a && d.b==c.b).count())); } } }
            println!("step {k} pen {:.2e} sweeps {} conv {} gap {:.2e} {}", r.totals.max_penetration, r.certificate.sweeps, r.certificate.converged, worst.0, worst.1);
            last = r.totals.max_penetration;
        }
    }
    println!("h {h}: unconverged {unconv} of {n}, {:.1} sweeps/step, time {:.2}", sweeps as f64 / n as f64, sim.timing.total());
    }
}
