//! Memory that processes of one machine share.
//!
//! Not a window of MPI: those need room in a folder of the machine, and one that is full ends the job.
#![allow(unsafe_code)]

use std::fs::{File, read_link};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::ptr::{null_mut, slice_from_raw_parts, slice_from_raw_parts_mut};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Some bytes of memory, of this process or of another one.
pub(super) struct SharedBytes {
    start: *mut u8,
    length: usize,
    /// By which others find it.
    file: File,
}

// SAFETY: the memory belongs to this value alone, as far as this process goes, and stays where it is.
unsafe impl Send for SharedBytes {}
// SAFETY: as above; reading and writing are up to callers.
unsafe impl Sync for SharedBytes {}

impl SharedBytes {
    /// New memory of so many bytes, at least one, all zero. No two have the same name.
    pub(super) fn new(name: &str, length: usize) -> io::Result<Self> {
        let file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
        ftruncate(&file, length as u64)?;
        Self::map(file, length, ProtFlags::READ | ProtFlags::WRITE)
    }

    /// That of another process, to be read. Fails on another machine, and wherever processes do not see each other.
    pub(super) fn of_other(name: &str, process: u32, file: i32, length: usize) -> io::Result<Self> {
        let path = PathBuf::from(format!("/proc/{process}/fd/{file}"));
        // Numbers of processes and files mean something else on another machine; the name does not.
        if read_link(&path)?.as_os_str() != format!("/memfd:{name} (deleted)").as_str() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Self::map(File::open(&path)?, length, ProtFlags::READ)
    }

    fn map(file: File, length: usize, access: ProtFlags) -> io::Result<Self> {
        // SAFETY: a place that the system chooses, so none that is in use.
        let start = unsafe { mmap(null_mut(), length, access, MapFlags::SHARED, &file, 0)? };
        Ok(Self { start: start.cast(), length, file })
    }

    /// How many bytes.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// The number of its file, for others to open.
    pub(super) fn file(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// These bytes, which must be there.
    ///
    /// # Safety
    /// No process writes to them as long as they are borrowed.
    pub(super) unsafe fn read(&self, bytes: Range<usize>) -> &[u8] {
        assert!(bytes.start <= bytes.end && bytes.end <= self.length);
        // SAFETY: inside of the memory, which stays as long as this value; nobody writes, as the caller promised.
        unsafe { &*slice_from_raw_parts(self.start.add(bytes.start), bytes.len()) }
    }

    /// The same, to be written; of memory that this process made.
    ///
    /// # Safety
    /// No other process reads them as long as they are borrowed.
    pub(super) unsafe fn write(&mut self, bytes: Range<usize>) -> &mut [u8] {
        assert!(bytes.start <= bytes.end && bytes.end <= self.length);
        // SAFETY: inside of the memory, which stays as long as this value; others do not read, as the caller promised.
        unsafe { &mut *slice_from_raw_parts_mut(self.start.add(bytes.start), bytes.len()) }
    }
}

impl Drop for SharedBytes {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and nobody borrows from it any more. That it fails would harm no one.
        let _ = unsafe { munmap(self.start.cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_writes_another_reads_who_knows_its_name() {
        let mut own = SharedBytes::new("nscdd-test-of-names", 100_000).unwrap();
        let process = std::process::id();
        let other = SharedBytes::of_other("nscdd-test-of-names", process, own.file(), 100_000).unwrap();
        // SAFETY: one after the other.
        unsafe {
            own.write(99_000..99_003).copy_from_slice(b"yes");
            assert_eq!(other.read(98_999..99_004), b"\0yes\0");
        }
        assert!(SharedBytes::of_other("nscdd-test-of-name", process, own.file(), 100_000).is_err());
        assert!(SharedBytes::of_other("nscdd-test-of-names", process, own.file() + 4000, 100_000).is_err());
    }
}
