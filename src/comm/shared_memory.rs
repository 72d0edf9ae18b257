//! Memory shared by the processes of one machine.
//!
//! Not an MPI window: those need space in a directory of the machine, and a full one ends the job.
#![allow(unsafe_code)]

use std::fs::{File, read_link};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::ptr::{null_mut, slice_from_raw_parts, slice_from_raw_parts_mut};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// A block of shared memory, created by this process or by another one.
pub(super) struct SharedBytes {
    start: *mut u8,
    length: usize,
    /// File descriptor by which other processes open it.
    file: File,
}

// SAFETY: within this process the memory belongs to this value alone, and it stays where it is.
unsafe impl Send for SharedBytes {}
// SAFETY: as above; reading and writing are the responsibility of callers.
unsafe impl Sync for SharedBytes {}

impl SharedBytes {
    /// Creates `length` bytes of zeroed memory; `length` must be at least one, and no two blocks may have the same
    /// name.
    pub(super) fn new(name: &str, length: usize) -> io::Result<Self> {
        let file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
        ftruncate(&file, length as u64)?;
        Self::map(file, length, ProtFlags::READ | ProtFlags::WRITE)
    }

    /// Opens the memory of another process for reading. Fails on another machine, and wherever processes cannot see
    /// each other.
    pub(super) fn open(name: &str, process: u32, file: i32, length: usize) -> io::Result<Self> {
        let path = PathBuf::from(format!("/proc/{process}/fd/{file}"));
        // Process ids and file descriptors have another meaning on another machine; the name does not.
        if read_link(&path)?.as_os_str() != format!("/memfd:{name} (deleted)").as_str() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Self::map(File::open(&path)?, length, ProtFlags::READ)
    }

    fn map(file: File, length: usize, access: ProtFlags) -> io::Result<Self> {
        // SAFETY: the system chooses the address, so no memory in use is affected.
        let start = unsafe { mmap(null_mut(), length, access, MapFlags::SHARED, &file, 0)? };
        Ok(Self { start: start.cast(), length, file })
    }

    /// Length in bytes.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// File descriptor, for other processes to open.
    pub(super) fn file(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// These bytes, which must lie within the block.
    ///
    /// # Safety
    /// No process writes to them as long as they are borrowed.
    pub(super) unsafe fn read(&self, bytes: Range<usize>) -> &[u8] {
        assert!(bytes.start <= bytes.end && bytes.end <= self.length);
        // SAFETY: within the block, which lives as long as this value; nobody writes, by the contract of this function.
        unsafe { &*slice_from_raw_parts(self.start.add(bytes.start), bytes.len()) }
    }

    /// These bytes, for writing; only in memory created by this process.
    ///
    /// # Safety
    /// No other process reads them as long as they are borrowed.
    pub(super) unsafe fn write(&mut self, bytes: Range<usize>) -> &mut [u8] {
        assert!(bytes.start <= bytes.end && bytes.end <= self.length);
        // SAFETY: within the block, which lives as long as this value; no other process reads, by the contract of this
        // function.
        unsafe { &mut *slice_from_raw_parts_mut(self.start.add(bytes.start), bytes.len()) }
    }
}

impl Drop for SharedBytes {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and no borrow of it is left. A failure does no harm.
        let _ = unsafe { munmap(self.start.cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_written_by_one_process_is_read_by_another_that_knows_its_name() {
        let mut own = SharedBytes::new("nscdd-test-of-names", 100_000).unwrap();
        let process = std::process::id();
        let other = SharedBytes::open("nscdd-test-of-names", process, own.file(), 100_000).unwrap();
        // SAFETY: write and read follow each other.
        unsafe {
            own.write(99_000..99_003).copy_from_slice(b"yes");
            assert_eq!(other.read(98_999..99_004), b"\0yes\0");
        }
        assert!(SharedBytes::open("nscdd-test-of-name", process, own.file(), 100_000).is_err());
        assert!(SharedBytes::open("nscdd-test-of-names", process, own.file() + 4000, 100_000).is_err());
    }
}
