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
use crate::comm::{Comm, Exchange, Reader, Writer, gather_on_root};

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
    // The process whose share contains a row.
    let host = |range: &DatasetRange, row: usize| ((row / range.chunk + 1) * size - 1) / range.chunks;
    let mut exchange = Exchange::default();
    for ((number, piece), range) in (0u32..).zip(pieces).zip(ranges) {
        let row = piece.row_bytes();
        for (before, bytes) in piece.parts.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let end = before + bytes.len() / row;
            for rank in host(range, *before)..=host(range, end - 1) {
                let from = first(range, rank);
                let (start, stop) = (from.max(*before), first(range, rank + 1).min(end));
                if start < stop {
                    let message = exchange.to(rank);
                    message.u32(number);
                    message.u64((start - from) as u64);
                    message.u64((stop - start) as u64);
                    message.0.extend(&bytes[(start - before) * row..(stop - before) * row]);
                }
            }
        }
    }
    let own = |(piece, range): (&DatasetRows, &DatasetRange)| {
        vec![0; (first(range, comm.rank() + 1) - first(range, comm.rank())) * piece.row_bytes()]
    };
    let mut rows: Vec<Vec<u8>> = pieces.iter().zip(ranges).map(own).collect();
    for message in exchange.swap(comm) {
        let mut message = message.reader();
        while !message.is_done() {
            let number = message.u32() as usize;
            let row = pieces[number].row_bytes();
            let (start, count) = (message.u64() as usize, message.u64() as usize);
            rows[number][start * row..(start + count) * row].copy_from_slice(message.bytes(count * row));
        }
    }
    rows
}
