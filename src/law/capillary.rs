//! Capillary attraction by liquid bridges between wet grains.
//!
//! F(g) = 2 pi R gamma cos(theta) for g <= 0, times exp(-g/lambda) for 0 < g <= g_rupture, with lambda = 0.9 sqrt(V/R)
//! and g_rupture = (1 + theta/2) V^(1/3). R = 2 R1 R2/(R1 + R2): equal spheres have R = R1; a wall has infinite radius
//! and gives R = 2 R1 (V. Richefeu, M. S. El Youssoufi and F. Radjai 2006, Shear strength properties of wet granular
//! materials, without their factor for unequal sizes; the rupture distance is that of G. Lian, C. Thornton and M. J.
//! Adams 1993). In two dimensions disks replace spheres, and the force is per metre of depth.

use super::adhesion::with_attraction;
use super::contact_law::{ContactLaw, ContactOutcome, Local};
use super::parameter::{BadParameter, check_friction, check_positive, check_range};
use super::reduced::Reduced;
use super::state::LawState;
use crate::dim::{Dim, Vector};

/// A bridge forms when bodies touch, attracts them with a force that decreases with the gap, and breaks at its rupture
/// distance. A broken bridge forms again only at the next contact. Friction is proportional to the normal force
/// including the attraction.
///
/// The law state is 1 while there is a bridge.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capillary {
    /// Surface tension gamma, N/m; 0.072 for water.
    pub surface_tension: f64,
    /// Contact angle theta, rad, from 0 to pi/2; 0 (the default) for perfect wetting.
    #[serde(default)]
    pub contact_angle: f64,
    /// Volume V of liquid in a bridge, m^3.
    pub volume: f64,
    /// Coefficient of friction, at least 0.
    #[serde(default)]
    pub friction: f64,
}

impl Capillary {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        check_positive("surface_tension", self.surface_tension, "water has 0.072 N/m")?;
        check_range("contact_angle", self.contact_angle, std::f64::consts::FRAC_PI_2, "in radians")?;
        check_positive("volume", self.volume, "volume of liquid in one bridge, m^3; for none use `coulomb`")?;
        check_friction(self.friction)
    }

    /// Rupture distance: the greatest gap of a bridge, m.
    pub fn rupture(&self) -> f64 {
        (1.0 + 0.5 * self.contact_angle) * self.volume.cbrt()
    }

    /// Attraction at `gap` between bodies of mean size `radius` (R), N.
    pub fn force(&self, gap: f64, radius: f64) -> f64 {
        self.contact_force(radius) * (-gap.max(0.0) / self.decay(radius)).exp()
    }

    fn contact_force(&self, radius: f64) -> f64 {
        2.0 * std::f64::consts::PI * radius * self.surface_tension * self.contact_angle.cos()
    }

    /// The decay length lambda of the force, m.
    fn decay(&self, radius: f64) -> f64 {
        0.9 * (self.volume / radius).sqrt()
    }

    /// Energy needed to stretch a bridge from contact to `gap`, J.
    fn energy(&self, gap: f64, radius: f64) -> f64 {
        self.decay(radius) * (self.contact_force(radius) - self.force(gap, radius))
    }

    fn has_bridge<X: Dim>(&self, contact: &Local<X>) -> bool {
        contact.has_touched() || (contact.memory.state > 0.0 && contact.gap <= self.rupture())
    }
}

impl<X: Dim> ContactLaw<X> for Capillary {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let force = if self.has_bridge(contact) { self.force(contact.gap, contact.mean_size()) } else { 0.0 };
        Some(with_attraction(contact, force, self.friction, h))
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn remember(&self, contact: &Local<X>, after: &ContactOutcome<X>, h: f64) -> LawState<X> {
        let gap = contact.gap + h * after.velocity.dot(&contact.normal);
        let has_touched = contact.has_touched() || after.impulse.dot(&contact.normal) > 0.0;
        let remains = (has_touched || self.has_bridge(contact)) && gap <= self.rupture();
        LawState::of(f64::from(u8::from(remains)))
    }

    fn is_elastic(&self) -> bool {
        true
    }

    /// The energy stored in a bridge is dissipated when it breaks.
    fn stored(&self, contact: &Local<X>, after: &ContactOutcome<X>, end_gap: f64, h: f64) -> [f64; 2] {
        let energy = |has_bridge: bool, gap| if has_bridge { self.energy(gap, contact.mean_size()) } else { 0.0 };
        let remains = self.remember(contact, after, h).state > 0.0;
        [energy(remains, end_gap) - energy(contact.memory.state > 0.0, contact.start_gap), 0.0]
    }

    fn range(&self) -> f64 {
        self.rupture()
    }
}
