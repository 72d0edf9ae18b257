//! Lookup of the law between two materials.

use super::contact_law::ContactLaw;
use crate::dim::Dim;

/// The laws of all pairs of materials; a pair may have none.
pub struct LawTable<X: Dim> {
    laws: Vec<Box<dyn ContactLaw<X>>>,
    materials: usize,
    pairs: Vec<Option<u16>>,
    /// Does a law never act, so that bodies pass through each other?
    has_inactive: bool,
    has_memory: bool,
    is_elastic: bool,
    has_area_law: bool,
}

impl<X: Dim> LawTable<X> {
    /// An empty table for `materials` materials.
    pub fn new(materials: usize) -> Self {
        Self {
            laws: Vec::new(),
            materials,
            pairs: vec![None; materials * materials],
            has_inactive: false,
            has_memory: false,
            is_elastic: false,
            has_area_law: false,
        }
    }

    /// Adds a law and returns its index.
    pub fn add(&mut self, law: Box<dyn ContactLaw<X>>) -> u16 {
        self.has_inactive |= !law.acts();
        self.has_memory |= law.has_memory();
        self.is_elastic |= law.is_elastic();
        self.has_area_law |= law.is_per_area();
        self.laws.push(law);
        (self.laws.len() - 1) as u16
    }

    /// Sets law `law` between materials `a` and `b`; returns whether the pair had no law before.
    pub fn set(&mut self, a: usize, b: usize, law: u16) -> bool {
        let is_new = self.pairs[a * self.materials + b].is_none();
        self.pairs[a * self.materials + b] = Some(law);
        self.pairs[b * self.materials + a] = Some(law);
        is_new
    }

    /// Can bodies of materials `a` and `b` be in contact?
    pub fn can_meet(&self, a: u32, b: u32) -> bool {
        !self.has_inactive || self.between(a, b).is_none_or(|law| law.acts())
    }

    /// Greatest range of all laws, m: the gap up to which bodies interact.
    pub fn range(&self) -> f64 {
        self.laws.iter().map(|law| law.range()).fold(0.0, f64::max)
    }

    /// Whether all laws are plain friction cones.
    pub fn are_cones(&self) -> bool {
        self.laws.iter().all(|law| law.is_cone())
    }

    /// Whether any law has state.
    pub fn has_memory(&self) -> bool {
        self.has_memory
    }

    /// Whether any law stores energy.
    pub fn is_elastic(&self) -> bool {
        self.is_elastic
    }

    /// Whether the bonds of any law have constants per unit area.
    pub fn has_area_law(&self) -> bool {
        self.has_area_law
    }

    /// The law between materials `a` and `b`, if any.
    pub fn between(&self, a: u32, b: u32) -> Option<&dyn ContactLaw<X>> {
        let law = self.pairs[a as usize * self.materials + b as usize]?;
        Some(self.laws[law as usize].as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use crate::law::{Adhesion, Joint};

    #[test]
    fn a_law_acts_both_ways_and_only_between_its_materials() {
        let mut table = LawTable::<Space>::new(3);
        let law = table.add(Box::new(Adhesion { force: 1.0, distance: 0.5, friction: 0.0 }));
        assert!(table.set(0, 2, law));
        assert!(!table.set(2, 0, law));
        assert_eq!(table.between(2, 0).unwrap().range(), 0.5);
        assert!(table.between(0, 1).is_none());
    }

    #[test]
    fn a_table_reaches_as_far_as_its_farthest_law_and_remembers_if_one_does() {
        let mut table = LawTable::<Space>::new(1);
        table.add(Box::new(Adhesion { force: 1.0, distance: 0.1, friction: 0.0 }));
        table.add(Box::new(Adhesion { force: 1.0, distance: 0.2, friction: 0.0 }));
        assert!(table.range() == 0.2 && !table.has_memory());
        table.add(Box::new(Joint { cohesion: 1.0, tension: 1.0, friction: 0.0, intact: true, per_area: false }));
        assert!(table.range() == 0.2 && table.has_memory());
    }
}
