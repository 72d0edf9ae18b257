//! Assignment of body ids.
//!
//! Ids given in the scene are claimed first; bodies without one receive the lowest unclaimed ids, in the order of the
//! file.

/// The explicitly given ids: disjoint ranges in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Claimed {
    ranges: Vec<(u64, u64)>,
}

impl Claimed {
    /// Claims `count` ids from `first` on. The error is the first id that is already claimed.
    pub fn claim(&mut self, first: u64, count: u64) -> Result<(), u64> {
        if count == 0 {
            return Ok(());
        }
        let end = first.saturating_add(count);
        let at = self.ranges.partition_point(|&(_, other_end)| other_end <= first);
        if let Some(&(start, _)) = self.ranges.get(at)
            && start < end
        {
            return Err(start.max(first));
        }
        // Adjacent ranges are merged, so that a million single claims stay one range.
        match at.checked_sub(1).and_then(|i| self.ranges.get_mut(i)) {
            Some((_, before)) if *before == first => *before = end,
            _ => self.ranges.insert(at, (first, end)),
        }
        Ok(())
    }

    /// The lowest unclaimed id that is at least `id`.
    fn free_from(&self, id: u64) -> u64 {
        let mut id = id;
        let mut at = self.ranges.partition_point(|&(_, end)| end <= id);
        while let Some(&(start, end)) = self.ranges.get(at)
            && start <= id
        {
            id = end;
            at += 1;
        }
        id
    }
}

/// Assigns ids in ascending order.
#[derive(Clone, Debug)]
pub struct Numbering {
    next: u64,
    claimed: Claimed,
}

impl Numbering {
    /// Numbering from `first` on without gaps.
    pub fn consecutive(first: u64) -> Self {
        Self { next: first, claimed: Claimed::default() }
    }

    /// Numbering from 0 on that skips the ids in `claimed`.
    pub fn around(claimed: Claimed) -> Self {
        Self { next: claimed.free_from(0), claimed }
    }

    /// The id that [`take`](Self::take) returns next.
    pub fn peek(&self) -> u64 {
        self.next
    }

    /// Takes the next id.
    pub fn take(&mut self) -> u64 {
        let id = self.next;
        self.next = self.claimed.free_from(id.saturating_add(1));
        id
    }

    /// Skips `count` ids at once.
    pub fn skip(&mut self, mut count: u64) {
        while count > 0 {
            // All ids up to the next claimed range are free.
            let at = self.claimed.ranges.partition_point(|&(start, _)| start <= self.next);
            let free = self.claimed.ranges.get(at).map_or(count, |&(start, _)| (start - self.next).min(count));
            self.next = self.claimed.free_from(self.next.saturating_add(free));
            count -= free;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_ids_skip_the_claimed_ones() {
        let mut claimed = Claimed::default();
        for (first, count) in [(5, 2), (0, 1), (2, 1), (7, 1)] {
            claimed.claim(first, count).unwrap();
        }
        let mut numbering = Numbering::around(claimed);
        assert_eq!(numbering.peek(), 1);
        assert_eq!([(); 5].map(|()| numbering.take()), [1, 3, 4, 8, 9]);
    }

    #[test]
    fn skipping_ids_is_taking_them_one_by_one() {
        let mut claimed = Claimed::default();
        for (first, count) in [(0, 2), (5, 2), (8, 1), (12, 30)] {
            claimed.claim(first, count).unwrap();
        }
        for count in 0..20 {
            let mut one_by_one = Numbering::around(claimed.clone());
            let mut at_once = one_by_one.clone();
            (0..count).for_each(|_| _ = one_by_one.take());
            at_once.skip(count);
            assert_eq!(one_by_one.peek(), at_once.peek(), "{count}");
        }
    }

    #[test]
    fn an_id_claimed_twice_is_named() {
        let mut claimed = Claimed::default();
        claimed.claim(10, 5).unwrap();
        assert_eq!(claimed.claim(14, 1), Err(14));
        assert_eq!(claimed.claim(8, 5), Err(10));
        assert_eq!(claimed.claim(15, 1), Ok(()));
        assert_eq!(claimed.claim(8, 2), Ok(()));
        assert_eq!(claimed.claim(8, 1), Err(8));
    }
}
