//! Whole files: renamed into place once on disk, sealed so that damage is noticed.
//!
//! In: a file finished under another name. Out: the same file at its own, or word that its bytes have changed.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes at the head of the file that are not HDF5's: room for the seal.
pub(super) const HEAD_BYTES: u64 = 512;

/// The name under which a file is written until it is whole: `<path>.tmp`.
pub fn unfinished_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".tmp");
    name.into()
}

/// Puts the finished file `unfinished` in the place of `path`, for good.
///
/// The content reaches the disk before the name does and the name before this returns, so that
/// whenever the machine stops, `path` is the old file or the new one and never a part of either.
pub fn replace_file(unfinished: &Path, path: &Path) -> io::Result<()> {
    fs::File::open(unfinished)?.sync_all()?;
    fs::rename(unfinished, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// One line that no other content of the file has: HDF5 checks neither texts nor where they are,
/// and a damaged one can hang it or worse, so nothing is given to it unseen.
fn seal(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut length = file.seek(SeekFrom::Start(HEAD_BYTES))?;
    let (mut hash, mut block) = (0xcbf2_9ce4_8422_2325_u64, Vec::new());
    while io::Read::by_ref(&mut file).take(1 << 16).read_to_end(&mut block)? > 0 {
        for bytes in block.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            // FNV-1a by words; the turn lets the high bits of a word count as much as the low ones.
            hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
        }
        length += block.len() as u64;
        block.clear();
    }
    Ok(format!("nscdd columns, {length} bytes, seal {hash:016x}\n"))
}

pub(super) fn put_seal(path: &Path) -> io::Result<()> {
    let seal = seal(path)?;
    fs::OpenOptions::new().write(true).open(path)?.write_all(seal.as_bytes())
}

pub(super) fn check_seal(path: &Path) -> Result<(), String> {
    let mut head = Vec::new();
    let seal = fs::File::open(path)
        .and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head))
        .and_then(|_| seal(path))
        .map_err(|error| error.to_string())?;
    match head.starts_with(seal.as_bytes()) {
        true => Ok(()),
        false => Err("its bytes do not match its seal: damaged, or changed since it was written".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::columns::{Column, Values, read, write};
    use hdf5::File;

    #[test]
    fn a_flipped_bit_anywhere_is_noticed_when_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("final.h5");
        let marked = Values::Float(vec![1.0 / 3.0; 1000]);
        write(&path, &[("state", vec![Column::new("x", "m", "", 1, marked)])], &[]).unwrap();
        let good = fs::read(&path).unwrap();
        let third = (1.0f64 / 3.0).to_ne_bytes();
        let numbers = good.windows(8).position(|window| window == third).unwrap();
        for place in (512..good.len()).step_by(101).chain(30..50).chain([numbers + 4000]) {
            let mut bytes = good.clone();
            bytes[place] ^= 1;
            fs::write(&path, bytes).unwrap();
            let message = read(&path).unwrap_err().to_string();
            assert!(message.contains("final.h5: its bytes do not match its seal"), "{message}");
        }
        fs::write(&path, &good[..good.len() - 1]).unwrap();
        assert!(read(&path).is_err());
        fs::write(&path, b"").unwrap();
        assert!(read(&path).is_err());
        // Other programs have HDF5's own checksum.
        let mut bytes = good;
        bytes[numbers + 4000] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert!(File::open(&path).unwrap().dataset("state/x").unwrap().read_raw::<f64>().is_err());
    }
}
