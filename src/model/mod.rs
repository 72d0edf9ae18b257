//! The mechanical model: shapes, materials, laws, loads and prescribed motions. It knows bodies, but no time scheme.

mod cell;
mod links;
mod membrane;
mod motion;
mod signal;
mod tilt;

use std::sync::Arc;

use rayon::prelude::*;

use crate::body::{Deformable, FREE, State};
use crate::contactor::facing::FacingParts;
use crate::contactor::{PosedShape, Shape};
use crate::dim::{Dim, Vector};
use crate::law::LawTable;

pub use cell::{Cell, HERE, Image, Shear, seen_from};
pub use links::{Link, Links, Stretched};
pub use membrane::Membrane;
pub use motion::{Control, Motion, NodeControl};
pub use signal::Signal;
pub use tilt::Tilt;

/// A material: determines the mass of a body, and names it in the table of laws.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the scene.
    pub name: String,
    /// Density, kg/m3 (kg/m2 in the plane).
    pub density: f64,
}

/// Everything about the bodies that does not change from step to step.
pub struct Model<X: Dim> {
    /// Shape templates that states refer to by index.
    pub shapes: Vec<Shape<X>>,
    /// Materials that states refer to by index.
    pub materials: Vec<Material>,
    /// Prescribed motions and loads that states refer to by index.
    pub motions: Vec<Motion>,
    /// Laws between materials.
    pub laws: LawTable<X>,
    /// Links between bodies.
    pub links: Links<X>,
    /// Gravity before any tilt, m/s2.
    pub gravity: X::Vector,
    /// Rotation of gravity, if it tilts.
    pub tilt: Option<Tilt<X>>,
    /// Periodic cell, if there is one.
    pub cell: Option<Cell<X>>,
    /// Flexible membranes that press on free bodies.
    pub membranes: Vec<Membrane<X>>,
    /// For each shape, the operator of the deformable bodies of that shape; shapes beyond the end are rigid.
    pub deformables: Vec<Option<Arc<dyn Deformable<X>>>>,
    /// For each shape, the parts of the surface of a deformable body that may come into contact with each other.
    pub facing: Vec<FacingParts<X>>,
}

impl<X: Dim> Model<X> {
    /// Does any law, of materials or of links, have a state?
    pub fn has_memory(&self) -> bool {
        self.laws.has_memory() || self.links.has_memory()
    }

    /// Does any law, of materials or of links, store energy?
    #[inline]
    pub fn is_elastic(&self) -> bool {
        self.laws.is_elastic() || self.links.is_elastic()
    }

    /// The shape of a body.
    #[inline]
    pub fn shape(&self, state: &State<X>) -> &Shape<X> {
        &self.shapes[state.shape as usize]
    }

    /// The operator of a deformable body; `None` if the body is rigid.
    #[inline]
    pub fn deformable(&self, state: &State<X>) -> Option<&Arc<dyn Deformable<X>>> {
        self.deformables.get(state.shape as usize)?.as_ref()
    }

    /// The parts of the surface of a body that may come into contact with each other, if there are any.
    #[inline]
    pub fn facing(&self, state: &State<X>) -> Option<&FacingParts<X>> {
        self.facing.get(state.shape as usize).filter(|parts| !parts.is_empty())
    }

    /// May there be deformable bodies?
    pub fn has_deformables(&self) -> bool {
        self.deformables.iter().any(Option::is_some)
    }

    /// Makes the factors of deformable bodies among `states` that are not made yet, side by side. The first fault, in
    /// the order of shapes, is returned.
    pub fn prepare(&self, states: &[State<X>]) -> Result<(), String> {
        if !self.has_deformables() {
            return Ok(());
        }
        let mut needed = vec![false; self.deformables.len()];
        states.iter().filter(|state| self.deformable(state).is_some()).for_each(|s| needed[s.shape as usize] = true);
        let all = self.deformables.iter().zip(needed).filter_map(|(body, needed)| body.as_ref().filter(|_| needed));
        let new: Vec<&Arc<dyn Deformable<X>>> = all.filter(|body| !body.is_prepared()).collect();
        // The first fault of a parallel collection would depend on the threads.
        let made: Vec<Result<bool, String>> = new.into_par_iter().map(|body| body.prepare()).collect();
        made.into_iter().try_for_each(|made| made.map(drop))
    }

    /// Number of factors of deformable bodies that this process has made.
    pub fn factors(&self) -> usize {
        self.deformables.iter().flatten().filter(|body| body.is_prepared()).count()
    }

    /// The prescribed motion of a body; `None` if it is free.
    #[inline]
    pub fn motion(&self, state: &State<X>) -> Option<&Motion> {
        (state.motion != FREE).then(|| &self.motions[state.motion as usize])
    }

    /// Are all shapes with a volume disks or spheres?
    pub fn is_round(&self) -> bool {
        self.shapes.iter().all(|shape| shape.is_ball() || !shape.has_volume())
    }

    /// Are these two bodies never in contact, because of a link or by the law of their materials?
    pub fn are_apart(&self, a: &State<X>, b: &State<X>) -> bool {
        self.links.are_apart(a.id, b.id) || !self.laws.can_meet(a.material, b.material)
    }

    /// Is every degree of freedom of the body prescribed? Such a body is an obstacle, of infinite mass.
    pub fn is_prescribed(&self, state: &State<X>) -> bool {
        self.motion(state).is_some_and(|m| m.is_prescribed(X::D + X::R))
    }

    /// Is the body a grain of the sample: free and bounded? All others are walls.
    pub fn is_grain(&self, state: &State<X>) -> bool {
        state.motion == FREE && self.shape(state).reach().is_finite()
    }

    /// Volume (area in the plane) of a body, from its mass and density.
    pub fn volume(&self, state: &State<X>) -> f64 {
        state.mass / self.materials[state.material as usize].density
    }

    /// Gravity at time `t`, m/s2.
    pub fn gravity_at(&self, t: f64) -> X::Vector {
        self.tilt.as_ref().map_or(self.gravity, |tilt| tilt.turn(self.gravity, t))
    }

    /// The shape of the body in its present pose.
    pub fn placed(&self, state: &State<X>) -> PosedShape<'_, X> {
        PosedShape {
            shape: self.shape(state),
            size: state.size,
            position: state.position,
            orientation: state.orientation,
        }
    }

    /// Visits the images of a body that meet the periodic cell at time `t`, each with its pose; without a cell, the
    /// body itself.
    pub fn images<'a>(
        &self,
        placed: &PosedShape<'a, X>,
        margin: f64,
        t: f64,
        mut visit: impl FnMut(Image, PosedShape<'a, X>),
    ) {
        match &self.cell {
            None => visit(HERE, *placed),
            Some(cell) => {
                let bounds = placed.bounds().inflated(margin);
                cell.images(&bounds, t, |image| visit(image, placed.moved(cell.shift(image, t))));
            }
        }
    }

    /// Upper bound on the speed of the images of a body near the periodic cell, m/s.
    #[inline]
    pub fn speed(&self, position: X::Vector, velocity: X::Vector) -> f64 {
        self.cell.as_ref().map_or_else(|| velocity.norm(), |cell| cell.speed(position, velocity))
    }

    /// The image of a body whose centre lies in the periodic cell at time `t`.
    pub fn home(&self, state: &State<X>, t: f64) -> Image {
        let cell = self.cell.as_ref().filter(|_| self.shape(state).reach().is_finite());
        cell.map_or(HERE, |cell| cell.home(state.position, t))
    }

    /// The state of the body moved to its image in the periodic cell.
    pub fn at_home(&self, state: &State<X>, t: f64) -> State<X> {
        let mut home = *state;
        let image = self.home(state, t);
        if let Some(cell) = self.cell.as_ref().filter(|_| image != HERE) {
            home.position += cell.shift(image, t);
            home.velocity += cell.drift(image);
        }
        home
    }

    /// Principal moments of inertia of a body, kg m2.
    pub fn moments(&self, state: &State<X>) -> X::Spin {
        self.shape(state).inertia() * (state.mass * state.size * state.size)
    }

    /// Reference radius for the displacement of a body in a step, m: its own or, if its motion is prescribed, that of
    /// the `smallest` body.
    pub fn travel_radius(&self, state: &State<X>, smallest: f64) -> f64 {
        let own = self.shape(state).characteristic().filter(|_| !self.is_prescribed(state));
        own.map_or(smallest, |radius| radius * state.size)
    }

    /// Kinetic energy of a body, J; zero for obstacles.
    pub fn kinetic_energy(&self, state: &State<X>) -> f64 {
        use crate::dim::Orientation;
        if self.is_prescribed(state) {
            return 0.0;
        }
        let spin = state.orientation.unrotate_spin(state.spin);
        0.5 * (state.mass * state.velocity.norm2() + self.moments(state).times(&spin).dot(&spin))
    }

    /// Mass that gravity acts on, kg; zero for obstacles.
    #[inline]
    pub fn weighing(&self, state: &State<X>) -> f64 {
        let is_weighed = self.motion(state).is_none_or(|m| m.gravity && !m.is_prescribed(X::D + X::R));
        if is_weighed { state.mass } else { 0.0 }
    }

    /// Potential energy of a body relative to the origin under this gravity, J; zero for obstacles.
    #[inline]
    pub fn potential_energy(&self, state: &State<X>, gravity: X::Vector) -> f64 {
        -self.weighing(state) * gravity.dot(&state.position)
    }

    /// Length of a body (radius, or distance of the nearest face), m; infinite if it is unbounded.
    #[inline]
    pub fn length(&self, state: &State<X>) -> f64 {
        self.shape(state).radius().map_or(f64::INFINITY, |r| r * state.size)
    }

    /// Smallest characteristic length of the bodies, m: the length scale of alert distances.
    pub fn smallest(&self, states: &[State<X>]) -> f64 {
        let lengths = states.iter().filter_map(|s| self.shape(s).characteristic().map(|c| c * s.size));
        lengths.fold(f64::INFINITY, f64::min)
    }
}
