//! Tables of the element kinds: corners, edges and faces, numbered as in Gmsh.
//!
//! Faces list their corners first, counter-clockwise seen from outside (in the plane: the element is on the left), then
//! the nodes in the middle of their edges. The node in the middle of edge `i` is node `corner_count() + i`.

use super::ElementKind;

const TRIANGLE_EDGES: &[[usize; 2]] = &[[0, 1], [1, 2], [2, 0]];
const QUADRILATERAL_EDGES: &[[usize; 2]] = &[[0, 1], [1, 2], [2, 3], [3, 0]];
const TETRAHEDRON_EDGES: &[[usize; 2]] = &[[0, 1], [1, 2], [2, 0], [3, 0], [3, 2], [3, 1]];
const HEXAHEDRON_EDGES: &[[usize; 2]] =
    &[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

const T3_FACES: &[&[usize]] = &[&[0, 1], &[1, 2], &[2, 0]];
const T6_FACES: &[&[usize]] = &[&[0, 1, 3], &[1, 2, 4], &[2, 0, 5]];
const Q4_FACES: &[&[usize]] = &[&[0, 1], &[1, 2], &[2, 3], &[3, 0]];
const TET4_FACES: &[&[usize]] = &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]];
const TET10_FACES: &[&[usize]] = &[&[0, 2, 1, 6, 5, 4], &[0, 1, 3, 4, 9, 7], &[1, 2, 3, 5, 8, 9], &[0, 3, 2, 7, 8, 6]];
const HEX8_FACES: &[&[usize]] =
    &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];

impl ElementKind {
    /// All kinds.
    pub const ALL: [ElementKind; 6] = [Self::T3, Self::T6, Self::Q4, Self::Tet4, Self::Tet10, Self::Hex8];

    /// Number of nodes.
    pub const fn node_count(self) -> usize {
        match self {
            Self::T3 => 3,
            Self::T6 => 6,
            Self::Q4 | Self::Tet4 => 4,
            Self::Tet10 => 10,
            Self::Hex8 => 8,
        }
    }

    /// Number of nodes at corners; these come first.
    pub const fn corner_count(self) -> usize {
        match self {
            Self::T3 | Self::T6 => 3,
            Self::Q4 | Self::Tet4 | Self::Tet10 => 4,
            Self::Hex8 => 8,
        }
    }

    /// Two in the plane, three in space.
    pub const fn dimension(self) -> usize {
        match self {
            Self::T3 | Self::T6 | Self::Q4 => 2,
            Self::Tet4 | Self::Tet10 | Self::Hex8 => 3,
        }
    }

    /// Name in scenes and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::T3 => "T3",
            Self::T6 => "T6",
            Self::Q4 => "Q4",
            Self::Tet4 => "TET4",
            Self::Tet10 => "TET10",
            Self::Hex8 => "HEX8",
        }
    }

    /// Returns true for triangles and tetrahedra, linear or quadratic.
    pub const fn is_simplex(self) -> bool {
        match self {
            Self::T3 | Self::T6 | Self::Tet4 | Self::Tet10 => true,
            Self::Q4 | Self::Hex8 => false,
        }
    }

    /// Returns true if it has nodes in the middle of its edges.
    pub const fn is_quadratic(self) -> bool {
        self.node_count() > self.corner_count()
    }

    /// The kind with the same corners and no other nodes.
    pub const fn linear(self) -> Self {
        match self {
            Self::T3 | Self::T6 => Self::T3,
            Self::Q4 => Self::Q4,
            Self::Tet4 | Self::Tet10 => Self::Tet4,
            Self::Hex8 => Self::Hex8,
        }
    }

    /// Corners at the ends of each edge.
    pub const fn edges(self) -> &'static [[usize; 2]] {
        match self {
            Self::T3 | Self::T6 => TRIANGLE_EDGES,
            Self::Q4 => QUADRILATERAL_EDGES,
            Self::Tet4 | Self::Tet10 => TETRAHEDRON_EDGES,
            Self::Hex8 => HEXAHEDRON_EDGES,
        }
    }

    /// Nodes of each face (in the plane: of each edge): corners in order, then nodes in the middle of the edges between
    /// them in order.
    pub const fn faces(self) -> &'static [&'static [usize]] {
        match self {
            Self::T3 => T3_FACES,
            Self::T6 => T6_FACES,
            Self::Q4 => Q4_FACES,
            Self::Tet4 => TET4_FACES,
            Self::Tet10 => TET10_FACES,
            Self::Hex8 => HEX8_FACES,
        }
    }

    /// Number of corners of each face.
    pub const fn face_corner_count(self) -> usize {
        match self {
            Self::T3 | Self::T6 | Self::Q4 => 2,
            Self::Tet4 | Self::Tet10 => 3,
            Self::Hex8 => 4,
        }
    }

    /// At each corner: the corner, then its neighbours along edges, such that the edge vectors are right-handed in an
    /// element that is not inverted.
    pub const fn corner_frames(self) -> &'static [&'static [usize]] {
        match self {
            Self::T3 | Self::T6 => &[&[0, 1, 2], &[1, 2, 0], &[2, 0, 1]],
            Self::Q4 => &[&[0, 1, 3], &[1, 2, 0], &[2, 3, 1], &[3, 0, 2]],
            Self::Tet4 | Self::Tet10 => &[&[0, 1, 2, 3], &[1, 2, 0, 3], &[2, 0, 1, 3], &[3, 0, 2, 1]],
            Self::Hex8 => &[
                &[0, 1, 3, 4],
                &[1, 2, 0, 5],
                &[2, 3, 1, 6],
                &[3, 0, 2, 7],
                &[4, 7, 5, 0],
                &[5, 4, 6, 1],
                &[6, 5, 7, 2],
                &[7, 6, 4, 3],
            ],
        }
    }
}
