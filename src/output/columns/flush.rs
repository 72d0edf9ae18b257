//! Bytes on their way to the disk while more are being made.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

/// Does `work` on a file and has what it has written so far taken to the disk whenever it calls its argument, without
/// waiting; in the end all of it is there. A disk that fails is heard of here, as the system tells it only once. The work is
/// done in any case: other processes may count on it.
pub(crate) fn while_flushing<T>(path: &Path, work: impl FnOnce(&dyn Fn()) -> Result<T, String>) -> Result<T, String> {
    let file = File::open(path);
    let (ask, asked) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let flusher = scope.spawn(move || -> io::Result<()> {
            let file = file?;
            while asked.recv().is_ok() {
                // Those who asked meanwhile are served by the same call.
                while asked.try_recv().is_ok() {}
                set_off(&file)?;
            }
            file.sync_data()
        });
        // A flusher that has failed no longer listens; its error is fetched below.
        let done = work(&|| {
            let _ = ask.send(());
        });
        drop(ask);
        let flushed = flusher.join().map_err(|_| "the thread that writes to the disk has died".to_owned());
        let value = done?;
        flushed?.map_err(|error| error.to_string())?;
        Ok(value)
    })
}

/// What of the file is not on its way to the disk sets off.
fn set_off(file: &File) -> io::Result<()> {
    // SAFETY: the file is open as long as it is borrowed, and no memory is touched.
    match unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) } {
        0 => Ok(()),
        // Not every file system has this; a disk that fails does so again.
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
