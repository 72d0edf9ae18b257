//! Atomic replacement of files, and a checksum that detects damage.
//!
//! In: a file finished under another name. Out: the same file at its own name, or an error if its bytes have changed.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::comm::{Comm, all_agree};

/// Bytes at the head of the file that do not belong to HDF5: space for the checksum.
pub(crate) const HEAD_BYTES: u64 = 512;

/// Name under which a file is written until it is complete: `<path>.tmp`.
pub fn unfinished_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".tmp");
    name.into()
}

/// Replaces `path` by the finished file `unfinished`, durably.
///
/// The content reaches the disk before the name does, and the name before this returns. Whenever the machine stops,
/// `path` is therefore the old file or the new one, never a part of either.
pub fn replace_file(unfinished: &Path, path: &Path) -> io::Result<()> {
    fs::File::open(unfinished)?.sync_data()?;
    fs::rename(unfinished, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// First characters of a checksum line.
const BEGINNING: &str = "nscdd columns";
/// Length of a block; processes and threads share the blocks of a file. Short, so that the rows in memory fill many
/// blocks.
const BLOCK_BYTES: u64 = 1 << 16;
/// Length of a block in files of earlier versions.
const EARLIER_BYTES: u64 = 1 << 20;
/// Words in the checksum that distinguish the two lengths.
const BLOCKS: &str = "of 64 KiB blocks ";

/// Hashes of those blocks of a file that this process had completely in memory while writing.
#[derive(Default)]
pub(crate) struct BlockHashes(Mutex<HashedBlocks>);

/// Hashed blocks and the sum of their hashes.
#[derive(Default)]
struct HashedBlocks {
    blocks: Vec<Range<u64>>,
    sum: u64,
    /// Beginnings of incomplete blocks: the position where the bytes end, and the bytes from the start of the block.
    beginnings: Vec<(u64, Vec<u8>)>,
}

impl BlockHashes {
    /// Adds bytes that this process writes at `offset`. Bytes that continue earlier ones may complete a block with
    /// them.
    pub(crate) fn add(&self, offset: u64, bytes: &[u8]) {
        let Some(offset) = offset.checked_sub(HEAD_BYTES) else { return };
        let (first, end) = (offset / BLOCK_BYTES, offset + bytes.len() as u64);
        let partial = {
            let beginnings = &mut self.known().beginnings;
            let found = beginnings.iter().position(|own| own.0 == offset);
            found.map(|found| beginnings.swap_remove(found).1)
        };
        let to_boundary = (offset.next_multiple_of(BLOCK_BYTES) - offset) as usize;
        let Some((head, rest)) = bytes.split_at_checked(to_boundary) else {
            let partial = partial.map(|own| (end, [&own, bytes].concat()));
            return self.known().beginnings.extend(partial);
        };
        let partial = partial.map(|mut own| {
            own.extend_from_slice(head);
            own
        });
        let start = offset.div_ceil(BLOCK_BYTES);
        let (whole, ending) = rest.split_at(rest.len() - rest.len() % BLOCK_BYTES as usize);
        let hash = |(block, bytes): (usize, &[u8])| digest(start + block as u64, bytes);
        let blocks = whole.par_chunks_exact(BLOCK_BYTES as usize).enumerate().map(hash);
        let sum = blocks.reduce(|| 0, u64::wrapping_add);
        let joined = partial.as_ref().map_or(0, |own| digest(first, own));
        let mut known = self.known();
        known.sum = known.sum.wrapping_add(sum).wrapping_add(joined);
        known.blocks.push(if partial.is_some() { first } else { start }..end / BLOCK_BYTES);
        if !ending.is_empty() {
            let mut buffer = partial.unwrap_or_default();
            buffer.clear();
            buffer.extend_from_slice(ending);
            known.beginnings.push((end, buffer));
        }
    }

    fn known(&self) -> MutexGuard<'_, HashedBlocks> {
        // A panic with the lock held ends the program anyway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collective. The checksum: a line that identifies the content. HDF5 checks neither texts nor their positions, and a
/// damaged file can make it hang or worse, so no file is passed to it unchecked. All processes share the reading of
/// those blocks whose hashes none of them has.
fn checksum(comm: &dyn Comm, path: &Path, block_bytes: u64, known: Option<HashedBlocks>) -> Result<String, String> {
    let open = || -> io::Result<_> {
        let file = fs::File::open(path)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    };
    let (file, length) = all_agree(comm, open().map_err(|error| error.to_string()))?;
    let blocks = length.saturating_sub(HEAD_BYTES).div_ceil(block_bytes);
    let (rank, size) = (comm.rank() as u64, comm.size() as u64);
    let share = |count: u64| count * rank / size..count * (rank + 1) / size;
    let hash = |bytes: &mut Vec<u8>, block: u64| -> io::Result<u64> {
        let start = HEAD_BYTES + block * block_bytes;
        bytes.resize(block_bytes.min(length - start) as usize, 0);
        file.read_exact_at(bytes, start)?;
        Ok(digest(block, bytes))
    };
    let (own, before) = match known {
        None => (share(blocks).collect(), 0),
        Some(known) => {
            let missing = missing(comm, blocks, &known.blocks);
            let own = share(missing.len() as u64);
            (missing[own.start as usize..own.end as usize].to_vec(), known.sum)
        }
    };
    let sum = own.into_par_iter().map_init(Vec::new, hash).try_reduce(|| 0, |a, b| Ok(a.wrapping_add(b)));
    // Every process takes part in the sum, also one that failed to read.
    let mut sums = [before.wrapping_add(*sum.as_ref().unwrap_or(&0))];
    comm.sum(&mut sums);
    all_agree(comm, sum.map_err(|error| error.to_string()))?;
    // The word `seal` is part of the file format.
    let kind = if block_bytes == BLOCK_BYTES { BLOCKS } else { "" };
    Ok(format!("{BEGINNING}, {length} bytes, seal {kind}{:016x}\n", sums[0]))
}

/// Collective. The blocks whose hash no process has. No two processes have the same one: its bytes are rows of one
/// process.
fn missing(comm: &dyn Comm, blocks: u64, known: &[Range<u64>]) -> Vec<u64> {
    let mut bits = vec![0u64; blocks.div_ceil(64) as usize];
    known.iter().flat_map(Clone::clone).for_each(|block| bits[(block / 64) as usize] |= 1 << (block % 64));
    comm.sum(&mut bits);
    (0..blocks).filter(|block| bits[(block / 64) as usize] >> (block % 64) & 1 == 0).collect()
}

/// Hash of a block and its number. Every operation is a bijection, so a change of a single word always changes the
/// hash. Four independent lanes keep the core busy.
fn digest(block: u64, bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    // Reads eight bytes at once; a loop over bytes is five times slower.
    let word = |bytes: &[u8]| match bytes.first_chunk() {
        Some(&eight) => u64::from_le_bytes(eight),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let mut lanes = [1u64, 2, 3, 4];
    let fours = bytes.chunks_exact(32);
    let rest = fours.remainder();
    for four in fours {
        for (lane, bytes) in lanes.iter_mut().zip(four.chunks_exact(8)) {
            *lane = mix(*lane, word(bytes));
        }
    }
    let ends = rest.chunks(8).map(word).chain(lanes).chain([block, bytes.len() as u64]);
    let hash = ends.fold(0xcbf2_9ce4_8422_2325, mix);
    hash ^ (hash >> 31)
}

/// Collective. The checksum of a file that all processes have written and closed; all succeed or all fail. What another
/// machine wrote is visible once that machine has closed the file and this one opens it.
pub(crate) fn make_checksum(comm: &dyn Comm, path: &Path, hashes: BlockHashes) -> Result<String, String> {
    let known = hashes.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    checksum(comm, path, BLOCK_BYTES, Some(known))
}

/// Writes the checksum at the head of the file.
pub(crate) fn put_checksum(path: &Path, checksum: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(path)?.write_all(checksum.as_bytes())
}

/// Collective. Checks that the file is as it was written; all processes get the same result.
pub(crate) fn verify_checksum(comm: &dyn Comm, path: &Path) -> Result<(), String> {
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    all_agree(comm, read.map_err(|error| error.to_string()))?;
    if !head.starts_with(BEGINNING.as_bytes()) {
        return Err("it does not begin like a file of this program: damaged, or of another kind".to_owned());
    }
    let is_earlier = !head.windows(BLOCKS.len()).any(|own| own == BLOCKS.as_bytes());
    let block_bytes = if is_earlier { EARLIER_BYTES } else { BLOCK_BYTES };
    let checksum = checksum(comm, path, block_bytes, None);
    let is_unbroken =
        |checksum: &str| head.strip_prefix(checksum.as_bytes()).is_some_and(|rest| rest.iter().all(|&b| b == 0));
    let checksum = checksum.and_then(|checksum| match is_unbroken(&checksum) {
        true => Ok(()),
        false => Err("its bytes do not match its checksum: damaged, or changed since it was written".to_owned()),
    });
    all_agree(comm, checksum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::SerialComm;
    use crate::output::columns::table::{Column, ColumnValues};
    use crate::output::columns::{read, write};

    #[test]
    fn a_flipped_bit_anywhere_is_detected_when_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("final.h5");
        let marked = ColumnValues::Float(vec![1.0 / 3.0; 1000]);
        write(&path, &[("state", vec![Column::new("x", "m", "", 1, marked)])], &[]).unwrap();
        let good = fs::read(&path).unwrap();
        let third = (1.0f64 / 3.0).to_ne_bytes();
        let numbers = good.windows(8).position(|window| window == third).unwrap();
        for offset in (512..good.len()).step_by(101).chain((0..512).step_by(7)).chain([numbers + 4000]) {
            let mut bytes = good.clone();
            bytes[offset] ^= 1;
            fs::write(&path, bytes).unwrap();
            let message = read(&path).unwrap_err().to_string();
            let expected = if offset < BEGINNING.len() { "does not begin like" } else { "do not match its checksum" };
            assert!(message.contains(expected) && message.contains("final.h5"), "{offset}: {message}");
        }
        fs::write(&path, &good[..good.len() - 1]).unwrap();
        assert!(read(&path).is_err());
        fs::write(&path, b"").unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn a_hash_of_pieces_in_memory_is_that_of_the_file_and_earlier_checksums_are_valid() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..1_000_000u32).map(|i| ((i * i) >> 7) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        let whole = checksum(&SerialComm, &path, BLOCK_BYTES, None).unwrap();
        let cases = [
            (vec![], 0),
            (vec![512, 1_000_000], 15),
            (vec![700, 70_000, 70_004, 512 + (3 << 16), 999_999], 14),
            ((512..1_000_000).step_by(4096).collect(), 15),
            ((512..1_000_000).step_by(100_000).collect(), 13),
        ];
        for (cuts, count) in cases {
            let hashes = BlockHashes::default();
            cuts.windows(2).for_each(|cut| hashes.add(cut[0] as u64, &bytes[cut[0]..cut[1]]));
            // Consecutive pieces leave out no block but the first and the last.
            assert_eq!(hashes.known().blocks.iter().map(|own| own.end - own.start).sum::<u64>(), count, "{cuts:?}");
            assert_eq!(make_checksum(&SerialComm, &path, hashes).unwrap(), whole, "{cuts:?}");
        }
        for block_bytes in [BLOCK_BYTES, EARLIER_BYTES] {
            let mut head = checksum(&SerialComm, &path, block_bytes, None).unwrap().into_bytes();
            head.resize(HEAD_BYTES as usize, 0);
            fs::write(&path, [&head, &bytes[512..]].concat()).unwrap();
            assert_eq!(verify_checksum(&SerialComm, &path), Ok(()));
        }
    }
}
