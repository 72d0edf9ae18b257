//! Detection: which bodies touch or may touch within the step, where, and how far apart they are.
//!
//! Rough ([`broad_phase`]): pairs whose inflated boxes meet, remembered while no body has travelled further than its
//! margin ([`alert`]). Fine ([`narrow_phase`], [`polytope`], [`cylinder`]): contact points, normals and gaps at
//! mid-step. The rough list is only a superset; the contacts of a step are all pairs within the alert distance in the order of the bodies, so when
//! the list was rebuilt never shows.

pub(crate) mod overlap;

pub(crate) use overlap::overlaps;
pub(crate) mod history;

pub use history::{ContactHistory, ContactSource, RecordFormat, RecordSorting, SearchedRecords};
pub use history::{ContactId, ContactRecord};
pub mod alert;
pub mod broad_phase;
mod compound;
pub mod cylinder;
pub mod deep_overlap;
mod hollow;
mod manifold;
pub mod narrow_phase;
mod patch;
pub mod polytope;
mod settings;
pub mod swept;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::body::State;
use crate::contactor::PosedShape;
use crate::dim::{Dim, Pair, Vector};
use crate::integrator::{FreeMotion, StepTimes};
use crate::model::{HERE, Image, Model};
pub use settings::DetectionSettings;

/// One point where two bodies touch, may come to touch, or are linked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectedContact<X: Dim> {
    /// The body with the lower id: its place among the visitors of the subdomain.
    pub a: u32,
    /// The body with the higher id.
    pub b: u32,
    /// Which features of the two shapes meet.
    pub feature: u64,
    /// Unit normal from `a` to `b`.
    pub normal: X::Vector,
    /// Where they touch, m: between two balls it divides the distance of the centres as the radii do, else it is half-way between
    /// the surfaces.
    pub point: X::Vector,
    /// Signed distance of the surfaces, m; negative when they overlap.
    pub gap: f64,
    /// Which image of `b` it is that `a` meets; everything is as `a` itself sees it.
    pub image: Image,
}

impl<X: Dim> DetectedContact<X> {
    /// The visitors it is between.
    #[inline]
    pub fn ends(&self) -> [u32; 2] {
        [self.a, self.b]
    }

    /// The number of the link whose contact this is, if it is one.
    #[inline]
    pub fn link(&self) -> Option<usize> {
        ContactId::link_of(self.feature)
    }
}

/// What a subdomain needs to look for the contacts of a step.
#[derive(Clone, Copy)]
pub struct DetectionContext<'a, X: Dim> {
    /// The bodies at the start of the step...
    pub states: &'a [State<X>],
    /// ...and what they are made of.
    pub model: &'a Model<X>,
    /// Where they are at mid-step.
    pub free: &'a [FreeMotion<X>],
    /// Half the alert distance of a pair, for every body.
    pub alerts: &'a [f64],
    /// Are bodies so fast that they may pass through each other?
    pub fast: bool,
    /// The times of the step: where images are follows from them.
    pub span: StepTimes,
    /// Set from outside to end detection early.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a, X: Dim> DetectionContext<'a, X> {
    /// Is detection to end early?
    #[inline]
    pub fn is_asked_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Body number `body` at mid-step.
    #[inline(always)]
    pub fn placed(&self, body: usize) -> PosedShape<'a, X> {
        self.free[body].placed(self.model, &self.states[body], &self.span)
    }

    /// From a body to its `image` at the start of the step and at mid-step.
    #[inline]
    pub fn shifts(&self, image: Image) -> [X::Vector; 2] {
        match &self.model.cell {
            Some(cell) if image != HERE => [self.span.start, self.span.middle].both(|t| cell.shift(image, t)),
            _ => [X::Vector::zero(); 2],
        }
    }
}
