//! Measures of generated scenes.

use super::chance::{short, table};
use super::draft::Draft;

impl Draft {
    /// Adds a few measures of different kinds.
    pub(super) fn measures(&mut self) {
        let count = self.random.below(4);
        for number in 0..count {
            let measure = self.measure();
            let name = self.random.maybe(3, "name", |_| format!("\"number-{number}\""));
            let every = self.step * (1.0 + self.random.below(5) as f64);
            let every = self.random.maybe(2, "every", |_| short(every).to_string());
            self.add("[[measure]]", [name, every, Some(measure)]);
        }
        let Some((id, group)) = self.groups.first().copied() else { return };
        self.add("[[measure]]", [Some(format!("nodes = {{ bodies = [{id}], group = \"{group}\" }}"))]);
    }

    fn measure(&mut self) -> String {
        let axes = self.axes();
        let here = |draft: &mut Self| draft.random.one_in(2).then(|| format!("box = {}", draft.any_region()));
        match self.random.below(8) {
            0 => format!("stress = {}", table([here(self)])),
            1 => format!("contacts = {}", table([here(self)])),
            2 => {
                let bins = self.random.maybe(2, "bins", |random| (5 + random.below(20)).to_string());
                let up_to = self.random.maybe(2, "up_to", |random| random.between(3.0, 8.0).to_string());
                format!("forces = {}", table([bins, up_to, here(self)]))
            }
            3 => {
                let first = self.random.below(axes.len());
                let other = axes[(first + 1) % axes.len()];
                let bounds = self.random.one_in(2);
                let entries = [
                    Some(format!("axis = \"{}\", slices = {}", axes[first], 2 + self.random.below(6))),
                    self.random.maybe(2, "along", |_| format!("\"{other}\"")),
                    bounds.then(|| "min = 0.01, max = 0.4".into()),
                ];
                format!("profile = {}", table(entries))
            }
            4 => {
                let axis = self.random.pick(axes);
                format!("cut = {{ axis = \"{axis}\", at = [0.1, {}] }}", self.random.between(0.2, 0.4))
            }
            kind @ (5 | 6) => match self.some_ids(2) {
                ids if ids.is_empty() => "energy = {}".into(),
                ids if kind == 5 => format!("reaction = {{ bodies = {ids:?} }}"),
                ids => format!("track = {{ bodies = {ids:?} }}"),
            },
            _ => "energy = {}".into(),
        }
    }
}
