//! Bytes on their way to the disk while more are being made.
#![allow(unsafe_code)] // One call that the standard library does not have.

use std::fs::File;

/// Has what is written so far taken to the disk, without waiting for it. A hint: where there is no such call, or it fails,
/// whoever waits for the whole file later waits longer, and hears of a disk that fails.
pub(super) fn begin_flush(file: &File) {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: the descriptor is that of an open file; no memory of ours is touched.
        let _ = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
    }
    let _ = file;
}
