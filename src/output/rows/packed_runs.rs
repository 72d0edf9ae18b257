//! Packed rows for another process: a list of runs and their rows.
//!
//! In: rows by runs. Out: bytes, and from them runs and rows. If the tails of all rows are zero, they are not sent.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::sorted_runs::{PREFETCH_DISTANCE, Run, count};
use super::source::RowSource;
use crate::body::{Row, put_words, take_words};

/// Runs that a thread packs at a time.
const BLOCK: usize = 1024;
/// Bytes of a run: key and count.
const RUN: usize = 16;

/// Upper bound of the packed length, in bytes.
pub(crate) fn length<R: Row>(runs: &[Run]) -> usize {
    if runs.is_empty() { 0 } else { RUN + RUN * runs.len() + count(runs) * R::row_bytes() }
}

/// Packs the rows of these runs into `buffer`, whose length is that returned by [`length`].
pub(crate) fn pack<R: Row + Sync>(source: RowSource<'_, R>, runs: &[Run], buffer: &mut [u8]) {
    // No runs are sent as no bytes.
    let Some((head, rest)) = buffer.split_at_mut_checked(RUN) else { return };
    let (list, rows) = rest.split_at_mut(RUN * runs.len());
    for (entry, run) in list.as_chunks_mut::<RUN>().0.iter_mut().zip(runs) {
        *entry = encode_pair(run.key, run.count.into());
    }
    let mut is_short = R::tail_bytes() > 0;
    is_short = is_short && pack_rows::<R, true>(source, runs, rows);
    if !is_short {
        pack_rows::<R, false>(source, runs, rows);
    }
    head.copy_from_slice(&encode_pair(runs.len() as u64, is_short.into()));
}

/// Packs the rows, with `SHORT` without their tails. True if all tails are zero.
fn pack_rows<R: Row + Sync, const SHORT: bool>(source: RowSource<'_, R>, runs: &[Run], mut rest: &mut [u8]) -> bool {
    let stride = row_length::<R>(SHORT);
    let mut blocks = Vec::new();
    for runs in runs.chunks(BLOCK) {
        let (block, others) = rest.split_at_mut(count(runs) * stride);
        blocks.push((runs, block));
        rest = others;
    }
    let pack_block = |(runs, block): (&[Run], &mut [u8])| {
        let (mut rows, mut tails) = (block.chunks_exact_mut(stride), 0);
        for (k, run) in runs.iter().enumerate() {
            runs.get(k + PREFETCH_DISTANCE).into_iter().flat_map(Run::indices).for_each(|index| source.fetch(index));
            for (index, row) in run.indices().zip(&mut rows) {
                let words = source.get(index).words();
                put_words(words.as_ref(), &mut row[..stride]);
                tails |= words.as_ref()[stride / 8..].iter().fold(0, |all, word| all | word);
            }
        }
        tails == 0
    };
    blocks.into_par_iter().map(pack_block).reduce(|| true, |a, b| a && b)
}

/// Distance between two rows, in bytes.
#[inline]
fn row_length<R: Row>(is_short: bool) -> usize {
    R::row_bytes() - if is_short { R::tail_bytes() } else { 0 }
}

fn encode_pair(first: u64, second: u64) -> [u8; RUN] {
    (u128::from(first) | u128::from(second) << 64).to_le_bytes()
}

fn decode_pair(bytes: &[u8; RUN]) -> (u64, u64) {
    let pair = u128::from_le_bytes(*bytes);
    (pair as u64, (pair >> 64) as u64)
}

/// Rows received from another process.
#[derive(Clone, Copy)]
pub(crate) struct PackedRuns<'a, R> {
    runs: &'a [[u8; RUN]],
    rows: &'a [u8],
    is_short: bool,
    of: PhantomData<R>,
}

impl<'a, R: Row> PackedRuns<'a, R> {
    /// Reads what [`pack`] wrote.
    pub(crate) fn open(bytes: &'a [u8]) -> Self {
        let (count, is_short) = bytes.first_chunk().map_or((0, 0), decode_pair);
        let (runs, rows) = bytes[RUN.min(bytes.len())..].split_at(RUN * count as usize);
        Self { runs: runs.as_chunks().0, rows, is_short: is_short != 0, of: PhantomData }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Number of runs.
    pub(crate) fn len(&self) -> usize {
        self.runs.len()
    }

    /// First and last key.
    pub(crate) fn ends(&self) -> impl Iterator<Item = u64> {
        [self.runs.first(), self.runs.last()].into_iter().flatten().map(|run| decode_pair(run).0)
    }

    /// The runs; each starts at its row number.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        let mut start = 0;
        self.runs.iter().map(move |run| {
            let (key, count) = decode_pair(run);
            let run = Run { key, start, count: count as u32 };
            start += run.count;
            run
        })
    }

    /// Fills `rows` with the rows from number `first` on.
    #[inline]
    pub(crate) fn fill(&self, first: usize, rows: &mut [R::Words]) {
        match self.is_short {
            true => self.fill_from::<true>(first, rows),
            false => self.fill_from::<false>(first, rows),
        }
    }

    #[inline]
    fn fill_from<const SHORT: bool>(&self, first: usize, rows: &mut [R::Words]) {
        let stride = row_length::<R>(SHORT);
        for (row, bytes) in rows.iter_mut().zip(self.rows[first * stride..].chunks_exact(stride)) {
            *row = R::Words::default();
            take_words(&bytes[..stride], row.as_mut());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{BodyId, State};
    use crate::dim::{Dim, Plane, Space, Vector};
    use crate::interaction::history::{ContactId, ContactRecord};
    use crate::law::LawState;

    /// Length of a packed row, and whether the rows read back equal.
    fn round_trip<R: Row + Sync + PartialEq>(source: &[R]) -> (usize, bool) {
        let mut runs = Vec::new();
        for start in (0..source.len()).step_by(5).rev() {
            let (key, count) = (start * 1_000_003, (source.len() - start).min(start / 5 % 6));
            runs.push(Run { key: key as u64, start: start as u32, count: count as u32 });
        }
        let mut buffer = vec![7; length::<R>(&runs)];
        pack(RowSource::Slice(source), &runs, &mut buffer);
        let packed = PackedRuns::<R>::open(&buffer);
        let received: Vec<_> = packed.runs().collect();
        let is_same = |(own, received): (&Run, &Run)| {
            let mut rows = vec![R::Words::default(); received.count as usize];
            packed.fill(received.start as usize, &mut rows);
            own.key == received.key
                && source[own.indices()].iter().eq(&rows.iter().map(R::from_words).collect::<Vec<_>>())
        };
        assert!(packed.len() == runs.len() && packed.ends().eq([runs[0].key, runs[runs.len() - 1].key]));
        (row_length::<R>(packed.is_short), runs.len() == received.len() && runs.iter().zip(&received).all(is_same))
    }

    fn records<X: Dim>(state: f64) -> Vec<ContactRecord<X>> {
        let record = |i: u64| {
            let id = ContactId { a: BodyId(i), b: BodyId(i * i + 1), feature: i % 3 };
            let memory = LawState {
                state: if i == 3017 { state } else { 0.0 },
                area: 0.0,
                stretch: X::Vector::from_fn(|_| 0.0),
            };
            ContactRecord { id, normal: i as f64, tangent: X::Vector::from_fn(|k| (i + k as u64) as f64), memory }
        };
        (0..9000).map(record).collect()
    }

    #[test]
    fn rows_are_received_as_sent_and_zero_law_states_are_not_sent() {
        assert_eq!(round_trip(&records::<Space>(0.0)), (56, true));
        assert_eq!(round_trip(&records::<Space>(-0.0)), (96, true));
        assert_eq!(round_trip(&records::<Plane>(0.0)), (48, true));
        assert_eq!(round_trip(&records::<Plane>(1.0)), (80, true));
        let states: Vec<_> = (0..5000).map(|i| State::<Space>::at_rest(i, 7, 1, 0.05, i as f64)).collect();
        assert_eq!(round_trip(&states), (152, true));
        assert!(PackedRuns::<State<Space>>::open(&[]).is_empty() && length::<State<Space>>(&[]) == 0);
    }
}
