//! Exchange of large messages in rounds: processes of one machine read them directly from the memory of the sender.
//!
//! In: bytes for each process. Out: bytes from each. Between machines they are sent as ordinary messages. Every process
//! has two halves of shared memory and writes them alternately: while others still read one, it fills the other for the
//! next round.
#![allow(unsafe_code)]

use std::hash::{BuildHasher, RandomState};
use std::process;
use std::sync::atomic::{Ordering, fence};

use super::shared_memory::SharedBytes;
use super::{Comm, Exchange, Message, Reader, Writer};

/// Alignment of the pieces, bytes: the length of a cache line.
const LINE: usize = 64;

/// Buffers for large messages to and from all processes.
pub struct SharedMemoryRows<'a> {
    comm: &'a dyn Comm,
    /// Both halves of the shared memory of this process, if any other process reads them.
    own: Option<SharedBytes>,
    /// Shared memory of the other processes of this machine.
    shared: Vec<Option<SharedBytes>>,
    /// For each process: does it read the shared memory of this one?
    reads: Vec<bool>,
    /// Number of exchanges so far.
    rounds: usize,
    /// Messages to and from processes of other machines.
    out: Vec<Vec<u8>>,
    into: Vec<Vec<u8>>,
}

impl<'a> SharedMemoryRows<'a> {
    /// Collective. Creates the buffers; `capacity` is the largest number of bytes that this process sends to all others
    /// together in a round.
    pub fn new(comm: &'a dyn Comm, capacity: usize) -> Self {
        Self::with_sharing(comm, capacity, |_| true)
    }

    /// The same, with shared memory only with processes for which `may_share` returns true.
    fn with_sharing(comm: &'a dyn Comm, capacity: usize, may_share: impl Fn(usize) -> bool) -> Self {
        let (rank, size) = (comm.rank(), comm.size());
        // Each half starts with the table of where each piece begins and ends; pieces are rounded up.
        let length = (16 * size).next_multiple_of(LINE) + capacity.next_multiple_of(LINE) + LINE * size;
        let name = || format!("nscdd-{:016x}", RandomState::new().hash_one(rank));
        let named = (size > 1).then(name);
        // Where the system provides no shared memory, messages are used.
        let own = named.as_ref().and_then(|name| SharedBytes::new(name, 2 * length).ok());
        let mut address = Writer::default();
        if let (Some(own), Some(name)) = (&own, &named) {
            [u64::from(process::id()), own.file() as u64, own.len() as u64].into_iter().for_each(|x| address.u64(x));
            address.0.extend(name.bytes());
        }
        let addresses = if size > 1 { comm.all_gather(address.0) } else { vec![Vec::new()] };
        let open = |(other, address): (usize, &Vec<u8>)| {
            let mut read = Reader(address);
            let [process, file, length] = [read.u64(), read.u64(), read.u64()];
            let name = str::from_utf8(read.0).unwrap_or_default();
            let is_candidate = other != rank && !address.is_empty() && may_share(other);
            is_candidate.then(|| SharedBytes::open(name, process as u32, file as i32, length as usize).ok()).flatten()
        };
        let shared: Vec<_> = addresses.iter().enumerate().map(open).collect();
        let mut found = Exchange::default();
        (0..).zip(&shared).filter(|(_, found)| found.is_some()).for_each(|(other, _)| found.to(other).u64(1));
        let mut reads = vec![false; size];
        found.swap(comm).iter().for_each(|message| reads[message.rank] = true);
        let own = own.filter(|_| reads.contains(&true));
        let [out, into] = [(); 2].map(|()| vec![Vec::new(); size]);
        Self { comm, own, shared, reads, rounds: 0, out, into }
    }

    /// Buffers for the bytes to send to each process in the next round, with undefined contents. What was received
    /// before is lost.
    pub fn buffers(&mut self, lengths: &[usize]) -> Vec<&mut [u8]> {
        let half = self.own.as_mut().map(|own| {
            let length = own.len() / 2;
            let start = self.rounds % 2 * length;
            // SAFETY: other processes read this half between the last round but one and the last round; the last round
            // has begun everywhere, since this process has completed it.
            unsafe { own.write(start..start + length) }
        });
        let (table, mut rest) = half.unwrap_or_default().split_at_mut_checked(16 * lengths.len()).unwrap_or_default();
        let mut table = table.as_chunks_mut::<8>().0.chunks_exact_mut(2);
        let mut at = 16 * lengths.len();
        let mut buffers = Vec::new();
        for ((&length, out), &is_read) in lengths.iter().zip(&mut self.out).zip(&self.reads) {
            out.resize(if is_read { 0 } else { length }, 0);
            let piece = table.next();
            let Some(piece) = piece.filter(|_| is_read) else {
                buffers.push(&mut out[..]);
                continue;
            };
            let begin = at.next_multiple_of(LINE);
            let (buffer, others) = rest.split_at_mut(begin - at + length);
            buffers.push(&mut buffer[begin - at..]);
            (at, rest) = (begin + length, others);
            piece.copy_from_slice(&[begin as u64, at as u64].map(u64::to_le_bytes));
        }
        buffers
    }

    /// Collective. Sends the contents of the buffers to their processes.
    pub fn exchange(&mut self) {
        let message = |(rank, bytes)| Message { rank, contents: Writer(std::mem::take(bytes)) };
        let sent = self.out.iter_mut().enumerate().filter(|(_, bytes)| !bytes.is_empty());
        let (mut sent, mut received): (Vec<_>, _) = (sent.map(message).collect(), Vec::new());
        self.into.iter_mut().for_each(Vec::clear);
        fence(Ordering::SeqCst);
        self.comm.exchange(&mut sent, &mut received);
        received.into_iter().for_each(|message| self.into[message.rank] = message.contents.0);
        fence(Ordering::SeqCst);
        self.rounds += 1;
    }

    /// The bytes received from a process in the last round.
    pub fn from(&self, process: usize) -> &[u8] {
        let Some(shared) = self.shared[process].as_ref().filter(|_| self.rounds > 0) else {
            return &self.into[process];
        };
        let start = (self.rounds - 1) % 2 * (shared.len() / 2);
        let table = start + 16 * self.comm.rank();
        // SAFETY: the sender wrote this before the last round and writes it again only after the next one has begun,
        // which ends the borrow here.
        unsafe {
            let mut piece = Reader(shared.read(table..table + 16));
            shared.read(start + piece.u64() as usize..start + piece.u64() as usize)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{SerialComm, thread_comms};

    /// Message from one process to another in a round: arbitrary bytes, possibly none.
    fn bytes(from: usize, to: usize, round: usize) -> Vec<u8> {
        let length = if from == to { 0 } else { (from * 37 + to * 101 + round * 53) % 200 };
        (0..length).map(|k| (from + 3 * to + 7 * round + k) as u8).collect()
    }

    fn exchange_rounds(comm: &dyn Comm, may_share: impl Fn(usize) -> bool) -> usize {
        let (rank, size) = (comm.rank(), comm.size());
        let mut rows = SharedMemoryRows::with_sharing(comm, 200 * size, may_share);
        for round in 0..50 {
            let all: Vec<_> = (0..size).map(|to| bytes(rank, to, round)).collect();
            let lengths: Vec<_> = all.iter().map(Vec::len).collect();
            rows.buffers(&lengths).into_iter().zip(&all).for_each(|(buffer, own)| buffer.copy_from_slice(own));
            rows.exchange();
            (0..size).for_each(|from| assert_eq!(rows.from(from), bytes(from, rank, round)));
        }
        rows.shared.iter().flatten().count()
    }

    #[test]
    fn bytes_arrive_as_sent_in_shared_memory_and_in_messages() {
        assert_eq!(thread_comms(4, |comm| exchange_rounds(comm, |_| true)), [3; 4]);
        assert_eq!(thread_comms(4, |comm| exchange_rounds(comm, |_| false)), [0; 4]);
        // Two machines; and processes of which only some see each other.
        assert_eq!(thread_comms(4, |comm| exchange_rounds(comm, |other| other / 2 == comm.rank() / 2)), [1; 4]);
        assert_eq!(thread_comms(3, |comm| exchange_rounds(comm, |other| other < comm.rank())), [0, 1, 2]);
        assert_eq!(exchange_rounds(&SerialComm, |_| true), 0);
    }
}
