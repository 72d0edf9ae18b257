//! Distribution of rows over the processes by whole chunks, compression by all threads, and collection on process 0.
//!
//! HDF5 1.10 does not write compressed chunks from several processes reliably: it hangs where a process has no chunk of
//! a dataset, and fails where two processes share one. So each process compresses its share, which is most of the work,
//! and one process writes. The bytes of the file do not depend on the number of processes.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;

use super::table::{DatasetRange, DatasetRows, LEVEL};
use crate::comm::{Comm, Reader, Writer, exchange, gather_on_root};

/// Collective. On process 0 the compressed chunks of every dataset, in order; elsewhere nothing.
pub(crate) fn gather(comm: &dyn Comm, pieces: &[DatasetRows], ranges: &[DatasetRange]) -> Vec<Vec<Vec<u8>>> {
    let mut message = Writer::default();
    for ((piece, range), rows) in pieces.iter().zip(ranges).zip(distribute(comm, pieces, ranges)) {
        let chunks: Vec<Vec<u8>> = match range.chunks {
            0 => Vec::new(),
            _ => rows
                .par_chunks(range.chunk * piece.row_bytes())
                .map(|chunk| pack(chunk, piece.row_bytes() / piece.width))
                .collect(),
        };
        message.u64(chunks.len() as u64);
        for chunk in chunks {
            message.u64(chunk.len() as u64);
            message.0.extend(chunk);
        }
    }
    let received = gather_on_root(comm, message.0);
    let mut messages: Vec<Reader> = received.iter().map(|bytes| Reader(bytes)).collect();
    let mut all = || {
        let mut chunks = Vec::new();
        for message in &mut messages {
            for _ in 0..message.u64() {
                let length = message.u64() as usize;
                chunks.push(message.bytes(length).to_vec());
            }
        }
        chunks
    };
    pieces.iter().map(|_| all()).collect()
}

/// Compresses a chunk of numbers of `size` bytes as the HDF5 filters `shuffle` and `deflate` do.
fn pack(chunk: &[u8], size: usize) -> Vec<u8> {
    let shuffled: Vec<u8> = (0..size).flat_map(|k| chunk.iter().skip(k).step_by(size).copied()).collect();
    let mut packed = Vec::with_capacity(chunk.len() / 2);
    let mut encoder = ZlibEncoder::new(&mut packed, Compression::new(LEVEL));
    // Writing to memory cannot fail.
    let _ = encoder.write_all(&shuffled).and_then(|()| encoder.try_finish());
    drop(encoder);
    packed
}

/// Collective. Distributes the chunks of every dataset evenly in rank order; returns the rows of this process, the last
/// chunk padded with zeros.
fn distribute(comm: &dyn Comm, pieces: &[DatasetRows], ranges: &[DatasetRange]) -> Vec<Vec<u8>> {
    let size = comm.size();
    let first = |range: &DatasetRange, rank: usize| (range.chunks * rank / size) * range.chunk;
    let mut out = vec![Writer::default(); size];
    for (piece, range) in pieces.iter().zip(ranges) {
        let row = piece.row_bytes();
        for (rank, message) in out.iter_mut().enumerate() {
            let (from, to) = (first(range, rank), first(range, rank + 1));
            let shares = piece.parts.iter().map(|(before, bytes)| {
                let (start, end) = ((*before).max(from), (before + bytes.len() / row).min(to));
                (start, &bytes[(start.max(*before) - before).min(bytes.len() / row) * row..], end.saturating_sub(start))
            });
            let shares: Vec<_> = shares.filter(|(_, _, count)| *count > 0).collect();
            message.u32(shares.len() as u32);
            for (start, bytes, count) in shares {
                message.u64((start - from) as u64);
                message.u64(count as u64);
                message.0.extend(&bytes[..count * row]);
            }
        }
    }
    let received = exchange(comm, out);
    let mut messages: Vec<Reader> = received.iter().map(|bytes| Reader(bytes)).collect();
    let batch = |(piece, range): (&DatasetRows, &DatasetRange)| {
        let row = piece.row_bytes();
        let (from, to) = (first(range, comm.rank()), first(range, comm.rank() + 1));
        let mut bytes = vec![0; (to - from) * row];
        for message in &mut messages {
            for _ in 0..message.u32() {
                let (start, count) = (message.u64() as usize, message.u64() as usize);
                bytes[start * row..(start + count) * row].copy_from_slice(message.bytes(count * row));
            }
        }
        bytes
    };
    pieces.iter().zip(ranges).map(batch).collect()
}
