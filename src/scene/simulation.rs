//! Construction of a simulation from a scene.

use std::path::Path;

use super::Scene;
use super::setup::setup;
use crate::base::error::{Error, Result};
use crate::dim::Dim;
use crate::integrator::Theta;
use crate::simulation::{Simulation, SimulationSettings};

impl SimulationSettings {
    /// The settings of a scene.
    pub fn of(scene: &Scene) -> Self {
        Self {
            integrator: Theta { h: scene.time.step, theta: scene.time.theta, gyroscopic: scene.time.gyroscopic },
            domain: scene.domain.clone(),
            solver: scene.solver.clone(),
            detection: scene.detection.clone(),
        }
    }
}

impl<X: Dim> Simulation<X> {
    /// Creates the simulation of a scene file, on this process alone.
    ///
    /// ```
    /// use nscdd::dim::Plane;
    /// use nscdd::simulation::Simulation;
    ///
    /// let mut simulation = Simulation::<Plane>::from_scene("scenes/bounce.toml")?;
    /// let report = simulation.step()?;
    /// println!("{} contacts, residual {:.1e}", report.certificate.contacts, report.certificate.residual);
    /// # Ok::<(), nscdd::base::error::Error>(())
    /// ```
    pub fn from_scene(path: impl AsRef<Path>) -> Result<Self> {
        Self::of(&Scene::load(path.as_ref(), &[])?)
    }

    /// Creates the simulation of a scene given as text; files it refers to are sought in the current folder.
    pub fn from_text(text: &str) -> Result<Self> {
        Self::of(&Scene::parse(text, "scene", Path::new("."), &[])?)
    }

    /// Creates the simulation of a scene that has been read.
    pub fn of(scene: &Scene) -> Result<Self> {
        if scene.world.dimension as usize != X::D {
            let what = format!("the scene has {} dimensions, the simulation {}", scene.world.dimension, X::D);
            let help = "Simulation::<Plane> is for two, Simulation::<Space> for three";
            return Err(Error::Input(Box::new(miette::MietteDiagnostic::new(what).with_help(help))));
        }
        let setup = setup::<X>(scene)?;
        Ok(Self::new(setup.model, setup.bodies, setup.bounds, SimulationSettings::of(scene)).with(setup.population))
    }
}
