//! Flushing to disk in the background while more bytes are written.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

/// Performs `work` on a file and starts to flush what has been written whenever `work` calls its argument, without
/// waiting; at the end everything is on disk. A disk failure is reported here, since the system reports it only once.
/// The work is completed in any case, since other processes may depend on it.
pub(crate) fn while_flushing<T>(path: &Path, work: impl FnOnce(&dyn Fn()) -> Result<T, String>) -> Result<T, String> {
    let file = File::open(path);
    let (request, requests) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let flusher = scope.spawn(move || -> io::Result<()> {
            let file = file?;
            while requests.recv().is_ok() {
                // One call serves all requests made meanwhile.
                while requests.try_recv().is_ok() {}
                start_flush(&file)?;
            }
            file.sync_data()
        });
        // A flusher that has failed no longer receives; its error is collected below.
        let done = work(&|| {
            let _ = request.send(());
        });
        drop(request);
        let flushed = flusher.join().map_err(|_| "the thread that writes to the disk has stopped".to_owned());
        let value = done?;
        flushed?.map_err(|error| error.to_string())?;
        Ok(value)
    })
}

/// Starts the transfer to disk of all bytes of the file that are not on their way yet.
fn start_flush(file: &File) -> io::Result<()> {
    // SAFETY: the file descriptor is open while `file` is borrowed, and the call touches no memory.
    match unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) } {
        0 => Ok(()),
        // Not every file system supports this call; a failing disk fails again here.
        _ => file.sync_data(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_and_its_failure_come_back_and_a_missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert_eq!(while_flushing(&path, |_| Ok(1)), Err("No such file or directory (os error 2)".to_owned()));
        std::fs::write(&path, "text").unwrap();
        let three = while_flushing(&path, |flush| {
            (0..10).for_each(|_| flush());
            Ok(3)
        });
        assert_eq!(three, Ok(3));
        assert_eq!(while_flushing::<()>(&path, |_| Err("no".to_owned())), Err("no".to_owned()));
    }
}
