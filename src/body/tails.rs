//! Lists of a different length for every body, in one array.

use std::ops::Range;

/// A list of `T` for each body, in body order. If all lists are empty, nothing is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Tails<T> {
    /// Start of the list of each body, and the end of the last; empty if all lists are.
    starts: Vec<u32>,
    all: Vec<T>,
}

impl<T> Default for Tails<T> {
    fn default() -> Self {
        Self { starts: Vec::new(), all: Vec::new() }
    }
}

impl<T: Copy> Tails<T> {
    /// Collects the lists of all bodies, in body order.
    pub fn from_lists<'a>(lists: impl Iterator<Item = &'a [T]>) -> Self
    where
        T: 'a,
    {
        let mut tails = Self { starts: vec![0], all: Vec::new() };
        for list in lists {
            tails.all.extend(list);
            tails.starts.push(tails.all.len() as u32);
        }
        if tails.all.is_empty() { Self::default() } else { tails }
    }

    /// Lists of these lengths, in body order, filled with `value`.
    pub fn filled(lengths: impl Iterator<Item = usize>, value: T) -> Self {
        let mut tails = Self { starts: vec![0], all: Vec::new() };
        for length in lengths {
            tails.all.resize(tails.all.len() + length, value);
            tails.starts.push(tails.all.len() as u32);
        }
        if tails.all.is_empty() { Self::default() } else { tails }
    }

    /// Are all lists empty?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The lists of all bodies, one after the other.
    pub fn all(&self) -> &[T] {
        &self.all
    }

    /// The lists of all bodies, one after the other.
    pub fn all_mut(&mut self) -> &mut [T] {
        &mut self.all
    }

    /// Position of the list of a body in the array.
    #[inline]
    pub fn range(&self, body: usize) -> Range<usize> {
        match self.starts.is_empty() {
            true => 0..0,
            false => self.starts[body] as usize..self.starts[body + 1] as usize,
        }
    }

    /// The list of a body.
    #[inline]
    pub fn of(&self, body: usize) -> &[T] {
        &self.all[self.range(body)]
    }

    /// The list of a body.
    #[inline]
    pub fn of_mut(&mut self, body: usize) -> &mut [T] {
        let range = self.range(body);
        &mut self.all[range]
    }

    /// The bodies that have a list, each with it.
    pub fn lists_mut(&mut self) -> Vec<(usize, &mut [T])> {
        let (mut rest, mut lists) = (&mut self.all[..], Vec::new());
        for (body, bounds) in self.starts.windows(2).enumerate().filter(|(_, bounds)| bounds[0] < bounds[1]) {
            let (list, others) = std::mem::take(&mut rest).split_at_mut((bounds[1] - bounds[0]) as usize);
            lists.push((body, list));
            rest = others;
        }
        lists
    }

    /// Indices of the bodies that have a list.
    pub fn bodies(&self) -> impl Iterator<Item = usize> {
        let bounds = self.starts.windows(2).enumerate();
        bounds.filter(|(_, bounds)| bounds[0] < bounds[1]).map(|(body, _)| body)
    }

    /// The lists in another order: that of body `order[i]` becomes that of body `i`.
    pub fn reordered(&self, order: &[u32]) -> Self {
        match self.is_empty() {
            true => Self::default(),
            false => Self::from_lists(order.iter().map(|&body| self.of(body as usize))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_body_in_any_order() {
        let lists: [&[u8]; 4] = [&[], &[1, 2, 3], &[], &[4]];
        let tails = Tails::from_lists(lists.into_iter());
        assert_eq!([0, 1, 2, 3].map(|body| tails.of(body)), lists);
        assert_eq!(tails.bodies().collect::<Vec<_>>(), [1, 3]);
        let other = tails.reordered(&[3, 0, 1, 2]);
        assert_eq!([0, 1, 2, 3].map(|body| other.of(body)), [&[4][..], &[], &[1, 2, 3], &[]]);
        assert_eq!(Tails::filled([0, 3, 0, 1].into_iter(), 7).of(1), [7, 7, 7]);
    }

    #[test]
    fn bodies_without_lists_store_nothing() {
        let none = Tails::<u8>::from_lists([&[][..], &[]].into_iter());
        assert_eq!(none, Tails::default());
        assert!(none.is_empty() && none.of(1).is_empty());
    }
}
