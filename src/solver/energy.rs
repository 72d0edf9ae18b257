//! Energy balance of a run: energy flows of a step, and their sums since the start.
//!
//! With u, u' the velocities before and after a step, impulses p do the work sum p.(u + u')/2, exactly:
//! T' - T = sum p.(u + u')/2. Impulses of contacts, loads and drives are accounted for separately, the work of weight
//! is the change of the potential energy, and therefore
//!
//! ```text
//! T + U + stored + dissipated - given back = T_0 + U_0 + driven + loads + cell + correction + scheme + fed - removed
//! ```
//!
//! up to an *imbalance* of rounding. Contacts whose law is purely dissipative may nevertheless return energy in a step:
//! where one opens under load within the step, by at most h^2 F.M^-1 F/8 in all, or where the step is not solved. This
//! energy is *given back*, separate from what was dissipated, which therefore never falls.

use serde::{Deserialize, Serialize};

/// Fraction of the exchanged energy that may be unaccounted for without a warning.
const TOLERANCE: f64 = 0.01;
/// Errors below this part of the energy of the bodies are rounding errors.
const ROUNDING: f64 = 1e-12;

/// Energy absorbed by contacts and links, less what their laws have stored, by mechanism, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dissipation {
    /// By normal impulses of contacts: impacts, and the damping of soft laws.
    pub normal: f64,
    /// By tangential impulses of contacts.
    pub friction: f64,
    /// By rolling resistance.
    pub rolling: f64,
    /// By links.
    pub links: f64,
    /// By the damping of deformable bodies, that of the time scheme for theta above 1/2 included.
    #[serde(default)]
    pub material: f64,
}

impl Dissipation {
    fn values(self) -> [f64; 5] {
        let Self { normal, friction, rolling, links, material } = self;
        [normal, friction, rolling, links, material]
    }

    fn from_values([normal, friction, rolling, links, material]: [f64; 5]) -> Self {
        Self { normal, friction, rolling, links, material }
    }

    /// By all mechanisms.
    pub fn total(&self) -> f64 {
        self.normal + self.friction + self.rolling + self.links + self.material
    }
}

/// Energy stored by laws, and supplied to the bodies from outside, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyTransfers {
    /// Stored by elastic laws and as strain of deformable bodies, to be given back.
    pub stored: f64,
    /// Work of bodies whose motion is prescribed, on all others.
    pub driven: f64,
    /// Work of the sheared cell.
    pub cell: f64,
    /// Work of prescribed forces, membranes, tilting gravity, and observers.
    pub loads: f64,
    /// Work of the overlap correction.
    pub correction: f64,
    /// Added by the time scheme: theta beyond 1/2, the rotation of spins within the step.
    pub scheme: f64,
    /// Energy of new bodies.
    pub fed: f64,
    /// Energy of removed bodies.
    pub removed: f64,
}

impl EnergyTransfers {
    fn values(self) -> [f64; 8] {
        let Self { stored, driven, cell, loads, correction, scheme, fed, removed } = self;
        [stored, driven, cell, loads, correction, scheme, fed, removed]
    }

    fn from_values([stored, driven, cell, loads, correction, scheme, fed, removed]: [f64; 8]) -> Self {
        Self { stored, driven, cell, loads, correction, scheme, fed, removed }
    }

    fn plus(self, more: Self) -> Self {
        Self::from_values(sums(self.values(), more.values()))
    }

    /// Energy supplied from outside.
    fn supplied(&self) -> f64 {
        self.driven + self.cell + self.loads + self.correction + self.scheme + self.fed - self.removed
    }
}

fn sums<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    std::array::from_fn(|k| a[k] + b[k])
}

/// Energy flows of one step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepEnergy {
    /// Absorbed by contacts and links; negative where they returned more.
    pub dissipation: Dissipation,
    /// Stored, and supplied from outside.
    pub transfers: EnergyTransfers,
    /// h |g| sum r_n/8: energy that contacts may return although the step is solved, because gravity is averaged over
    /// the step. It is not a flow.
    pub unresolved: f64,
}

impl StepEnergy {
    /// Sums the flows of two parts of a step.
    pub fn and(self, more: Self) -> Self {
        Self {
            dissipation: Dissipation::from_values(sums(self.dissipation.values(), more.dissipation.values())),
            transfers: self.transfers.plus(more.transfers),
            unresolved: self.unresolved + more.unresolved,
        }
    }
}

/// Energy of all free bodies, and sums of the flows since the start, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyBalance {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy of weight, about the origin.
    pub potential: f64,
    /// Dissipated by mechanism. None of them ever falls.
    #[serde(flatten)]
    pub dissipation: Dissipation,
    /// Given back by contacts and links with purely dissipative laws. Never falls.
    pub returned: f64,
    /// Stored relative to the start, and supplied from outside.
    #[serde(flatten)]
    pub transfers: EnergyTransfers,
    /// Sum of all flows between accounts. Never falls.
    pub exchanged: f64,
    /// Energy that contacts may return although every step is solved. Never falls.
    pub unresolved: f64,
    /// Error of the balance.
    pub imbalance: f64,
}

impl EnergyBalance {
    /// Names of the accounts in files, in the order of [`values`](Self::values).
    pub const NAMES: [&'static str; 19] = [
        "kinetic_energy",
        "potential_energy",
        "dissipated_normal",
        "dissipated_friction",
        "dissipated_rolling",
        "dissipated_links",
        "dissipated_material",
        "given_back",
        "stored_energy",
        "driven_work",
        "cell_work",
        "load_work",
        "correction_work",
        "scheme_work",
        "fed_energy",
        "removed_energy",
        "exchanged_energy",
        "unresolved_energy",
        "energy_imbalance",
    ];

    /// Values of all accounts.
    pub fn values(&self) -> [f64; 19] {
        let Self { kinetic, potential, dissipation, returned, transfers, exchanged, unresolved, imbalance } = *self;
        let [normal, friction, rolling, links, material] = dissipation.values();
        let [stored, driven, cell, loads, correction, scheme, fed, removed] = transfers.values();
        [
            kinetic, potential, normal, friction, rolling, links, material, returned, stored, driven, cell, loads,
            correction, scheme, fed, removed, exchanged, unresolved, imbalance,
        ]
    }

    /// The reverse of [`values`](Self::values).
    pub fn from_values(values: [f64; 19]) -> Self {
        let [kinetic, potential, normal, friction, rolling, links, material, returned, stored, driven, cell, ..] =
            values;
        let [.., loads, correction, scheme, fed, removed, exchanged, unresolved, imbalance] = values;
        Self {
            kinetic,
            potential,
            dissipation: Dissipation { normal, friction, rolling, links, material },
            returned,
            transfers: EnergyTransfers { stored, driven, cell, loads, correction, scheme, fed, removed },
            exchanged,
            unresolved,
            imbalance,
        }
    }

    /// The balance at the start of a run, with these energies and no flows.
    pub fn at_start(kinetic: f64, potential: f64) -> Self {
        Self { kinetic, potential, ..Self::default() }
    }

    /// Adds the flows of a step that ends with these energies.
    pub fn add_step(&mut self, flows: &StepEnergy, kinetic: f64, potential: f64) {
        let [kinetic_rise, potential_rise] = [kinetic - self.kinetic, potential - self.potential];
        (self.kinetic, self.potential) = (kinetic, potential);
        let (absorbed, transfers) = (flows.dissipation.values(), flows.transfers.values());
        let dissipated = sums(self.dissipation.values(), absorbed.map(|absorbed| absorbed.max(0.0)));
        self.dissipation = Dissipation::from_values(dissipated);
        absorbed.into_iter().for_each(|absorbed| self.returned += (-absorbed).max(0.0));
        self.transfers = self.transfers.plus(flows.transfers);
        self.unresolved += flows.unresolved;
        let flowed: f64 = absorbed.iter().chain(&transfers).map(|term| term.abs()).sum();
        self.exchanged += 0.5 * (kinetic_rise.abs() + potential_rise.abs() + flowed);
        let StepEnergy { dissipation, transfers, .. } = flows;
        self.imbalance += kinetic_rise + potential_rise + transfers.stored + dissipation.total() - transfers.supplied();
    }

    /// Energy dissipated by all mechanisms.
    pub fn dissipated(&self) -> f64 {
        self.dissipation.total()
    }

    /// Unphysical energy over the exchanged energy: the imbalance, the energy given back by dissipative contacts, and
    /// the work of the overlap correction. The denominator includes what steps do not resolve, for scenes in which
    /// nothing moves.
    pub fn relative_error(&self) -> f64 {
        let error = self.error();
        let scale = self.exchanged + self.unresolved;
        if scale > 0.0 { error / scale } else { 0.0 }
    }

    /// Is the relative error large enough for a warning?
    pub fn is_inaccurate(&self) -> bool {
        let rounding = ROUNDING * (self.kinetic + self.potential.abs());
        self.relative_error() > TOLERANCE && self.error() > rounding
    }

    /// Energy that is unaccounted for, or that comes from where none should, J.
    fn error(&self) -> f64 {
        self.imbalance.abs() + self.returned + self.transfers.correction.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_values_is_the_reverse_of_values() {
        let values = std::array::from_fn(|k| k as f64 + 1.0);
        assert_eq!(EnergyBalance::from_values(values).values(), values);
    }

    #[test]
    fn a_balance_is_written_as_one_flat_object_and_read_back() {
        let balance = EnergyBalance::from_values(std::array::from_fn(|k| k as f64 + 0.5));
        let text = serde_json::to_string(&balance).unwrap();
        let keys: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
        let expected = [
            "kinetic",
            "potential",
            "normal",
            "friction",
            "rolling",
            "links",
            "material",
            "returned",
            "stored",
            "driven",
            "cell",
            "loads",
            "correction",
            "scheme",
            "fed",
            "removed",
            "exchanged",
            "unresolved",
            "imbalance",
        ];
        assert_eq!(keys, expected);
        assert_eq!(serde_json::from_str::<EnergyBalance>(&text).unwrap(), balance);
    }

    #[test]
    fn energy_given_back_by_contacts_is_counted_separately_from_dissipated_energy() {
        let mut energy = EnergyBalance::at_start(2.0, 1.0);
        // The potential energy falls by 1 J, of which 0.4 J are dissipated.
        let dissipation = Dissipation { normal: 0.3, friction: 0.1, ..Dissipation::default() };
        energy.add_step(&StepEnergy { dissipation, ..StepEnergy::default() }, 2.6, 0.0);
        assert!((energy.dissipated() - 0.4).abs() < 1e-15 && energy.imbalance.abs() < 1e-15);
        assert!((energy.exchanged - 1.0).abs() < 1e-15);
        // A contact that opens under load gives back 0.2 J; a wall does work of 0.5 J.
        let dissipation = Dissipation { normal: -0.2, ..Dissipation::default() };
        let transfers = EnergyTransfers { driven: 0.5, ..EnergyTransfers::default() };
        energy.add_step(&StepEnergy { dissipation, transfers, unresolved: 0.0 }, 3.3, 0.0);
        assert!((energy.dissipation.normal, energy.returned) == (0.3, 0.2) && energy.imbalance.abs() < 1e-15);
        // A joule from nowhere shows up in the imbalance.
        energy.add_step(&StepEnergy::default(), 4.3, 0.0);
        assert!((energy.imbalance - 1.0).abs() < 1e-15 && energy.relative_error() > 0.3);
    }
}
