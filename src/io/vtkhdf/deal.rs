//! Rows dealt out to the processes by whole chunks: packed chunks must not be shared between them.

use super::table::{Piece, Room};
use crate::comm::{Comm, Reader, Writer};

/// The rows of one dataset that this process writes.
pub(super) struct Batch {
    /// The first of them, counted from the start of the step's room.
    pub(super) first: usize,
    /// The rows, up to whole chunks.
    pub(super) bytes: Vec<u8>,
}

/// Every process gets about as many chunks of every dataset, in order of rank; collective.
pub(super) fn deal(comm: &dyn Comm, pieces: &[Piece], rooms: &[Room]) -> Vec<Batch> {
    let size = comm.size();
    let first = |room: &Room, rank: usize| (room.chunks * rank / size) * room.chunk;
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
    let batch = |(piece, room): (&Piece, &Room)| {
        let row = piece.row_bytes();
        let (from, to) = (first(room, comm.rank()), first(room, comm.rank() + 1));
        let mut bytes = vec![0; (to - from) * row];
        for message in &mut messages {
            for _ in 0..message.u32() {
                let (start, count) = (message.u64() as usize, message.u64() as usize);
                bytes[start * row..(start + count) * row].copy_from_slice(message.bytes(count * row));
            }
        }
        Batch { first: from, bytes }
    };
    pieces.iter().zip(rooms).map(batch).collect()
}
