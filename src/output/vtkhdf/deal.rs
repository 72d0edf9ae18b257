//! Rows dealt out to the processes by whole chunks, packed there by all threads, and brought to process 0.
//!
//! HDF5 1.10 cannot be trusted to write packed chunks from several processes: it hangs where a process has no chunk of a
//! dataset, and fails where two share one. So each process packs its share, which is most of the work, and one writes.
//! The bytes of the file do not depend on the number of processes.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;

use super::table::{DatasetRange, DatasetRows, LEVEL};
use crate::comm::{Comm, Reader, Writer};

/// On process 0 the packed chunks of every dataset, in order; elsewhere nothing. Collective.
pub(crate) fn gather(comm: &dyn Comm, pieces: &[DatasetRows], rooms: &[DatasetRange]) -> Vec<Vec<Vec<u8>>> {
    let mut message = Writer::default();
    for ((piece, room), rows) in pieces.iter().zip(rooms).zip(deal(comm, pieces, rooms)) {
        let chunks: Vec<Vec<u8>> = match room.chunks {
            0 => Vec::new(),
            _ => rows
                .par_chunks(room.chunk * piece.row_bytes())
                .map(|chunk| pack(chunk, piece.row_bytes() / piece.width))
                .collect(),
        };
        message.u64(chunks.len() as u64);
        for chunk in chunks {
            message.u64(chunk.len() as u64);
            message.0.extend(chunk);
        }
    }
    let mut out = vec![Vec::new(); comm.size()];
    out[0] = message.0;
    let came = comm.all_to_all(out);
    let mut messages: Vec<Reader> = came.iter().map(|bytes| Reader(bytes)).collect();
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

/// As HDF5's filters `shuffle` and `deflate` leave a chunk of numbers of `size` bytes.
fn pack(chunk: &[u8], size: usize) -> Vec<u8> {
    let shuffled: Vec<u8> = (0..size).flat_map(|k| chunk.iter().skip(k).step_by(size).copied()).collect();
    let mut packed = Vec::with_capacity(chunk.len() / 2);
    let mut encoder = ZlibEncoder::new(&mut packed, Compression::new(LEVEL));
    // Into memory, which refuses nothing.
    let _ = encoder.write_all(&shuffled).and_then(|()| encoder.try_finish());
    drop(encoder);
    packed
}

/// Every process gets about as many chunks of every dataset, in order of rank: their rows, the last chunk filled up with
/// zeros.
fn deal(comm: &dyn Comm, pieces: &[DatasetRows], rooms: &[DatasetRange]) -> Vec<Vec<u8>> {
    let size = comm.size();
    let first = |room: &DatasetRange, rank: usize| (room.chunks * rank / size) * room.chunk;
    let mut out = vec![Writer::default(); size];
    for (piece, room) in pieces.iter().zip(rooms) {
        let row = piece.row_bytes();
        for (rank, message) in out.iter_mut().enumerate() {
            let (from, to) = (first(room, rank), first(room, rank + 1));
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
    let came = comm.all_to_all(out.into_iter().map(|message| message.0).collect());
    let mut messages: Vec<Reader> = came.iter().map(|bytes| Reader(bytes)).collect();
    let batch = |(piece, room): (&DatasetRows, &DatasetRange)| {
        let row = piece.row_bytes();
        let (from, to) = (first(room, comm.rank()), first(room, comm.rank() + 1));
        let mut bytes = vec![0; (to - from) * row];
        for message in &mut messages {
            for _ in 0..message.u32() {
                let (start, count) = (message.u64() as usize, message.u64() as usize);
                bytes[start * row..(start + count) * row].copy_from_slice(message.bytes(count * row));
            }
        }
        bytes
    };
    pieces.iter().zip(rooms).map(batch).collect()
}
