//! A brick wall from its scene entry.

use super::values::{at_least_one, edges, few_enough, length};
use super::vectors::vector;
use super::{Checked, KeyPath, MasonryEntry, OpeningEntry, SceneProblem};
use crate::dim::Dim;
use crate::generate::{Masonry, Rectangle};

impl MasonryEntry {
    pub(crate) fn wall<X: Dim>(&self, at: &KeyPath) -> Checked<Masonry<X>> {
        let brick: X::Vector = edges(&at.then("brick"), &self.brick)?;
        at_least_one(&at.then("courses"), self.courses, "a wall needs courses")?;
        at_least_one(&at.then("bricks"), self.bricks, "a course needs bricks")?;
        let joint_at = at.then("joint");
        if self.joint < 0.0 || self.joint >= brick[0] {
            let message = format!(
                "`joint` must be at least 0 and less than the length of a brick, {}, not {}",
                brick[0], self.joint
            );
            let label = if self.joint < 0.0 { "negative: bricks would overlap" } else { "no room for half bricks" };
            let problem = SceneProblem::value(&joint_at, message).label(label);
            return Err(problem.help("the clearance between bricks in m; leave it out for bricks that touch"));
        }
        let origin = vector(&at.then("origin"), &self.origin)?;
        let (courses, bricks, joint) = (self.courses, self.bricks, self.joint);
        let mut wall = Masonry { brick, courses, bricks, origin, joint, openings: Vec::new() };
        for (i, opening) in self.openings.iter().enumerate() {
            let opening = opening.rectangle(&at.then("openings").then(i), wall.extent())?;
            wall.openings.push(opening);
        }
        few_enough(&at.then("courses"), wall.at_most())?;
        Ok(wall)
    }
}

impl OpeningEntry {
    fn rectangle(&self, at: &KeyPath, extent: [f64; 2]) -> Checked<Rectangle> {
        let [min, max] = [("min", &self.min), ("max", &self.max)].map(|(key, corner)| (at.then(key), corner));
        for (corner_at, corner) in [&min, &max] {
            length(corner_at, corner.len(), 2)
                .map_err(|problem| problem.help("an opening is seen from the front: [along, up]"))?;
        }
        let (max_at, [min, max]) = (max.0, [min.1, max.1].map(|corner| [corner[0], corner[1]]));
        if let Some(k) = (0..2).find(|&k| min[k] >= max[k]) {
            let extent = ["length", "height"][k];
            let message = format!("this opening has no {extent}: min is {}, max is {}", min[k], max[k]);
            let problem = SceneProblem::value(&max_at.then(k), message).label("not above min");
            return Err(problem.help("min is the lower corner, max the upper one, both [along, up]"));
        }
        let wall = Rectangle { min: [0.0; 2], max: extent };
        let opening = Rectangle { min, max };
        if opening.meets(&wall, [0.0; 2]) {
            return Ok(opening);
        }
        let problem = SceneProblem::value(at, "this opening misses the wall").label("outside");
        Err(problem.help(format!("the wall reaches from [0, 0] to {extent:?}, along and up from its origin")))
    }
}
