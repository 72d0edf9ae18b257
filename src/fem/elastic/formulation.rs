//! Which displacements an element can take: those of its shape functions, or incompatible modes besides, which cure
//! locking in bending.

use crate::fem::mesh::ElementKind;

/// Displacements of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// Those of its shape functions: bilinear and trilinear elements are too stiff in bending.
    Compatible,
    /// In addition the modes 1 - x_k^2 (QM6 in the plane), condensed in each element: nearly exact in bending.
    Incompatible,
}

/// Formulations of the kinds of elements for which there are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formulations {
    /// Of Q4.
    pub quadrilateral: Formulation,
    /// Of HEX8.
    pub hexahedron: Formulation,
}

/// Q4 compatible, HEX8 with incompatible modes.
impl Default for Formulations {
    fn default() -> Self {
        Self { quadrilateral: Formulation::Compatible, hexahedron: Formulation::Incompatible }
    }
}

impl Formulations {
    /// All compatible.
    pub const COMPATIBLE: Self = Self { quadrilateral: Formulation::Compatible, hexahedron: Formulation::Compatible };
    /// Incompatible modes wherever there are any.
    pub const INCOMPATIBLE: Self =
        Self { quadrilateral: Formulation::Incompatible, hexahedron: Formulation::Incompatible };

    /// Number of incompatible modes of an element.
    pub(super) fn modes(self, kind: ElementKind) -> usize {
        let formulation = match kind {
            ElementKind::Q4 => self.quadrilateral,
            ElementKind::Hex8 => self.hexahedron,
            ElementKind::T3 | ElementKind::T6 | ElementKind::Tet4 | ElementKind::Tet10 => Formulation::Compatible,
        };
        match formulation {
            Formulation::Compatible => 0,
            Formulation::Incompatible => kind.dimension(),
        }
    }
}
