//! Linear elastic, isotropic materials: their moduli, stress from strain, and the values that are allowed.

use super::fault::ElasticFault;
use super::symmetric_tensor::SymmetricTensor;
use crate::fem::mesh::ElementKind;

/// A linear elastic, isotropic material with damping C = b K + a M.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticMaterial {
    /// Density, kg/m3 (in the plane for a thickness of 1 m).
    pub density: f64,
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Damping proportional to stiffness: b, s.
    pub damping: f64,
    /// Damping proportional to mass: a, 1/s. It acts on the motion relative to the rigid one.
    pub mass_damping: f64,
}

/// What bodies in the plane are a section of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaneState {
    /// A long body that cannot extend along the third axis.
    #[default]
    Strain,
    /// A thin sheet without stress along the third axis.
    Stress,
}

/// Lamé's moduli, Pa: stress = lambda tr(strain) I + 2 mu strain, with the strain that an element knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LameModuli {
    pub(super) lambda: f64,
    pub(super) shear: f64,
}

impl ElasticMaterial {
    /// Returns the first value that is not allowed, as a fault of material number `material`.
    pub fn check(&self, material: usize) -> Result<(), ElasticFault> {
        let fault = |key, value, expected| Err(ElasticFault::Material { material, key, value, expected });
        let is_positive = |x: f64| x.is_finite() && x > 0.0;
        if !is_positive(self.density) {
            return fault("density", self.density, "must be positive, in kg/m3");
        }
        if !is_positive(self.young) {
            return fault("young", self.young, "must be positive, in Pa: a body without stiffness falls apart");
        }
        if self.poisson == 0.5 {
            return fault("poisson", self.poisson, "is incompressible: use 0.49");
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return fault("poisson", self.poisson, "must lie between -1 and 0.5, both excluded");
        }
        for (key, value) in [("damping", self.damping), ("mass_damping", self.mass_damping)] {
            if !(value.is_finite() && value >= 0.0) {
                return fault(key, value, "must not be negative");
            }
        }
        Ok(())
    }

    /// Moduli in space.
    fn in_space(&self) -> LameModuli {
        let (young, poisson) = (self.young, self.poisson);
        let shear = young / (2.0 * (1.0 + poisson));
        LameModuli { lambda: 2.0 * shear * poisson / (1.0 - 2.0 * poisson), shear }
    }

    /// Moduli of an element: in plane stress, those with which its strain in the plane gives its stress there.
    pub(super) fn moduli(&self, kind: ElementKind, plane: PlaneState) -> LameModuli {
        let full = self.in_space();
        let LameModuli { lambda, shear } = full;
        if is_sheet(kind, plane) {
            LameModuli { lambda: 2.0 * lambda * shear / (lambda + 2.0 * shear), shear }
        } else {
            full
        }
    }

    /// Adds the strain along the third axis of an element in plane stress.
    pub(super) fn complete(&self, kind: ElementKind, plane: PlaneState, strain: SymmetricTensor) -> SymmetricTensor {
        if !is_sheet(kind, plane) {
            return strain;
        }
        let mut strain = strain;
        strain.0[2] = -self.poisson / (1.0 - self.poisson) * (strain.0[0] + strain.0[1]);
        strain
    }

    /// Stress at a complete strain, Pa.
    pub(super) fn stress(&self, strain: SymmetricTensor) -> SymmetricTensor {
        let LameModuli { lambda, shear } = self.in_space();
        let pressure = lambda * strain.trace();
        SymmetricTensor(std::array::from_fn(|k| 2.0 * shear * strain.0[k] + if k < 3 { pressure } else { 0.0 }))
    }
}

/// Is the element part of a sheet in plane stress?
fn is_sheet(kind: ElementKind, plane: PlaneState) -> bool {
    match kind {
        ElementKind::T3 | ElementKind::T6 | ElementKind::Q4 => plane == PlaneState::Stress,
        ElementKind::Tet4 | ElementKind::Tet10 | ElementKind::Hex8 => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEEL: ElasticMaterial =
        ElasticMaterial { density: 7800.0, young: 210e9, poisson: 0.3, damping: 0.0, mass_damping: 0.0 };

    #[test]
    fn values_that_are_not_allowed_are_named_with_what_to_do() {
        assert_eq!(STEEL.check(0), Ok(()));
        let message = |material: ElasticMaterial| material.check(2).unwrap_err().to_string();
        let rubber = message(ElasticMaterial { poisson: 0.5, ..STEEL });
        assert_eq!(rubber, "elastic material 2: poisson = 0.5 is incompressible: use 0.49");
        for poisson in [-1.0, 0.7, f64::NAN] {
            assert!(message(ElasticMaterial { poisson, ..STEEL }).contains("between -1 and 0.5"));
        }
        for young in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(message(ElasticMaterial { young, ..STEEL }).contains("young"));
        }
        assert!(message(ElasticMaterial { density: 0.0, ..STEEL }).contains("density = 0 must be positive"));
        assert!(message(ElasticMaterial { damping: -1e-6, ..STEEL }).contains("damping = -0.000001 must not"));
    }

    #[test]
    fn a_pulled_sheet_contracts_by_poissons_ratio_without_stress_across() {
        let strain = SymmetricTensor([1e-3, -0.3e-3, 0.0, 0.0, 0.0, 0.0]);
        let strain = STEEL.complete(ElementKind::Q4, PlaneState::Stress, strain);
        assert!((strain.0[2] + 0.3e-3).abs() < 1e-18);
        let stress = STEEL.stress(strain);
        assert!((stress.0[0] - 210e6).abs() < 1e-6 && stress.0[1].abs() < 1e-6 && stress.0[2].abs() < 1e-6);
        let plane = STEEL.moduli(ElementKind::Q4, PlaneState::Stress);
        assert!((plane.lambda + 2.0 * plane.shear - 210e9 / (1.0 - 0.09)).abs() < 1e-3);
    }
}
