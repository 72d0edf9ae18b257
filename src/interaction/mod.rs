//! Contact detection: which pairs of bodies touch or may touch within the step, at which points, and with which gaps.
//!
//! The broad phase ([`broad_phase`]) lists the pairs whose inflated bounding boxes overlap; the list stays valid while
//! no body has travelled further than its margin ([`alert`]). The narrow phase ([`narrow_phase`], [`polytope`],
//! [`cylinder`]) computes contact points, normals and gaps at mid-step. The candidate list is only a superset of the
//! contacts: the contacts of a step are all pairs within the alert distance, in the order of the bodies, so they do not
//! depend on when the list was rebuilt.

pub mod alert;
pub mod approach;
mod body_alerts;
pub mod broad_phase;
mod compound;
pub mod contact_areas;
mod contact_point;
pub mod cylinder;
pub mod deep_overlap;
pub(crate) mod history;
mod hollow;
mod manifold;
pub mod meshed;
pub mod narrow_phase;
pub(crate) mod overlap;
mod patch;
pub mod polytope;
mod settings;
mod simple_shapes;
pub mod swept;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::index::{BodyIndex, LocalBody};
use crate::body::State;
use crate::contactor::facing::FacingParts;
use crate::contactor::{MOST_DISPLACED, MeshedShape, PosedShape};
use crate::dim::{Dim, Pair, Vector};
use crate::integrator::{FreeMotion, FreeNodes, StepTimes};
use crate::model::{HERE, Image, Model};

use approach::ApproachBounds;
pub use contact_point::ContactPoint;
pub use history::{
    ContactHistory, ContactId, ContactRecord, ContactSource, RecordFormat, RecordSorting, SearchedRecords,
};
use meshed::{ContactSide, DeformedSurface};
pub(crate) use overlap::overlaps;
pub use settings::DetectionSettings;

/// A point where two bodies touch, may come into contact within the step, or are linked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectedContact<X: Dim> {
    /// The body with the lower id, as an index into the local bodies of the subdomain.
    pub a: LocalBody,
    /// The body with the higher id, as an index into the local bodies of the subdomain.
    pub b: LocalBody,
    /// The features of the two shapes that are in contact.
    pub feature: u64,
    /// Unit normal from `a` to `b`.
    pub normal: X::Vector,
    /// The contact point, m. Between two spheres it divides the line of centres in the ratio of the radii; otherwise it
    /// is half-way between the surfaces.
    pub point: X::Vector,
    /// Signed distance between the surfaces, m; negative for an overlap.
    pub gap: f64,
    /// The periodic image of `b` that is in contact with `a`; all quantities refer to `a` at its own position.
    pub image: Image,
    /// The nodes of deformable bodies at its ends: one more than their position in the list of the subdomain; zero
    /// between rigid bodies.
    pub nodes: u32,
}

impl<X: Dim> DetectedContact<X> {
    /// The local indices of the two bodies.
    #[inline]
    pub fn ends(&self) -> [LocalBody; 2] {
        [self.a, self.b]
    }

    /// The number of the link if this is the contact of a link.
    #[inline]
    pub fn link(&self) -> Option<usize> {
        ContactId::link_of(self.feature)
    }
}

/// The input of contact detection in a subdomain.
#[derive(Clone, Copy)]
pub struct DetectionContext<'a, X: Dim> {
    /// States of the bodies at the start of the step.
    pub states: &'a [State<X>],
    /// The tables of shapes, materials, laws and links.
    pub model: &'a Model<X>,
    /// Predicted motion of the bodies: position at mid-step and free velocity.
    pub free: &'a [FreeMotion<X>],
    /// Predicted motion of the nodes of deformable bodies.
    pub nodes: &'a FreeNodes<X>,
    /// Half the alert distance of a pair, for every body, whatever its partner.
    pub alerts: &'a [f64],
    /// Bounds on the approach of two bodies, if they hold.
    pub approach: Option<ApproachBounds>,
    /// Is any body fast enough to pass through another one within the step?
    pub fast: bool,
    /// The times of the step, which determine the positions of periodic images.
    pub span: StepTimes,
    /// Do bonds form in this step whose constants belong to a unit area?
    pub needs_areas: bool,
    /// Set by the caller to end detection early.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a, X: Dim> DetectionContext<'a, X> {
    /// Has the caller asked to end detection early?
    #[inline]
    pub fn is_asked_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The shape of a body at mid-step.
    #[inline(always)]
    pub fn placed(&self, body: BodyIndex) -> PosedShape<'a, X> {
        self.free[body.index()].placed(self.model, self.state(body))
    }

    /// The body as a side of a contact, translated by `shift`.
    pub fn side(&self, body: BodyIndex, shift: X::Vector) -> ContactSide<'a, X> {
        match self.model.shape(self.state(body)).as_meshed() {
            None => ContactSide::Rigid(self.placed(body).moved(shift)),
            Some(mesh) => ContactSide::Meshed(self.surface(body, mesh, shift)),
        }
    }

    /// The surface of a body with this mesh, translated by `shift`.
    fn surface(&self, body: BodyIndex, mesh: &'a MeshedShape<X>, shift: X::Vector) -> DeformedSurface<'a, X> {
        DeformedSurface {
            surface: &mesh.surface,
            points: self.nodes.positions.of(body.index()),
            normals: self.nodes.normals.of(body.index()),
            shift,
            depth: DeformedSurface::depth_of(mesh),
        }
    }

    /// Contact points of a body with itself, or of two bodies of which one is meshed, appended to `found`. The second
    /// is translated by `shift`; `alert` is their alert distance if they were rigid.
    pub fn meshed_touches(
        &self,
        [a, b]: [BodyIndex; 2],
        shift: X::Vector,
        alert: f64,
        found: &mut Vec<meshed::MeshedPoint<X>>,
    ) {
        let alert = alert + self.node_travel(a) + self.node_travel(b);
        if a != b {
            meshed::touches([self.side(a, X::Vector::zero()), self.side(b, shift)], alert, found);
        } else if let Some((mesh, facing)) = self.facing(a) {
            meshed::self_touches(&self.surface(a, mesh, X::Vector::zero()), (mesh, facing), alert, found);
        }
    }

    /// The mesh of a body of which parts may come into contact with each other, and these parts.
    fn facing(&self, body: BodyIndex) -> Option<(&'a MeshedShape<X>, &'a FacingParts<X>)> {
        let state = self.state(body);
        Some((self.model.shape(state).as_meshed()?, self.model.facing(state)?))
    }

    /// How far nodes of a meshed body move relative to its rigid motion in the step, m; zero for rigid bodies.
    pub fn node_travel(&self, body: BodyIndex) -> f64 {
        let Some(mesh) = self.model.shape(self.state(body)).as_meshed() else { return 0.0 };
        let moved = self.span.step * self.nodes.speeds[body.index()];
        moved.min(MOST_DISPLACED * mesh.reach)
    }

    /// Is the body meshed?
    #[inline]
    pub fn is_meshed(&self, body: BodyIndex) -> bool {
        self.model.shape(self.state(body)).as_meshed().is_some()
    }

    /// The state of a body at the start of the step.
    #[inline(always)]
    pub fn state(&self, body: BodyIndex) -> &'a State<X> {
        &self.states[body.index()]
    }

    /// Translations from a body to its `image`, at the start of the step and at mid-step.
    #[inline]
    pub fn shifts(&self, image: Image) -> [X::Vector; 2] {
        match &self.model.cell {
            Some(cell) if image != HERE => [self.span.start, self.span.middle].both(|t| cell.shift(image, t)),
            _ => [X::Vector::zero(); 2],
        }
    }
}
