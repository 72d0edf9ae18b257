//! Named, typed, documented columns in an HDF5 file: the format of checkpoints and `final.h5`.
//!
//! In: groups of columns and a few attributes. Out: one file, or the same values read back from it.
//!
//! Three guarantees. *The bytes depend on the content alone*: no object carries a time stamp, and the number of writing
//! processes has no effect, so two runs that agree leave files that `cmp` finds equal. *A file is complete or absent*:
//! it is written under another name and renamed once it is on disk. *Damage is detected*: a line at the head of the
//! file, where HDF5 leaves space, holds a checksum of all that follows.

mod checksum;
mod fetch;
mod fill;
mod flush;
mod table;
mod write_rows;

use std::fs;
use std::path::Path;

use checksum::{BlockHashes, make_checksum, put_checksum};
use fill::lay_out;
use flush::while_flushing;
use write_rows::write_rows;

use crate::comm::{Comm, SerialComm, all_agree};

pub use checksum::{replace_file, unfinished_name};
pub use fetch::VerifiedFile;
pub(crate) use table::reason;
pub use table::{Attribute, Column, ColumnTable, ColumnValues, ColumnsError, FileContent, RowMaker, RowOwners};

/// Writes the file, or leaves an existing one unchanged.
pub fn write(
    path: &Path,
    groups: &[(&'static str, Vec<Column>)],
    attributes: &[(&str, Attribute)],
) -> Result<(), ColumnsError> {
    let known = |(name, columns): &(&'static str, Vec<Column>)| ColumnTable {
        name,
        columns: columns.clone(),
        rows: RowOwners::Known,
    };
    let tables: Vec<ColumnTable> = groups.iter().map(known).collect();
    write_together(&SerialComm, path, tables, attributes)
}

/// Collective. Writes the file by all processes of `comm` together; all succeed or all fail.
pub fn write_together(
    comm: &dyn Comm,
    path: &Path,
    mut tables: Vec<ColumnTable>,
    attributes: &[(&str, Attribute)],
) -> Result<(), ColumnsError> {
    let unfinished = unfinished_name(path);
    let is_root = comm.is_root();
    let laid = if is_root { lay_out(&unfinished, &tables, attributes) } else { Ok(()) };
    let fill = |flush: &dyn Fn()| {
        let hashes = BlockHashes::default();
        all_agree(comm, write_rows(comm, &unfinished, &mut tables, flush, Some(&hashes)))?;
        make_checksum(comm, &unfinished, hashes)
    };
    all_agree(comm, laid)
        .and_then(|()| all_agree(comm, while_flushing(&unfinished, fill)))
        .and_then(|checksum| {
            let put = match is_root {
                true => put_checksum(&unfinished, &checksum).and_then(|()| replace_file(&unfinished, path)),
                false => Ok(()),
            };
            all_agree(comm, put.map_err(|error| error.to_string()))
        })
        .map_err(|reason| {
            if is_root {
                // Best effort: the error to report is the first failure, not that of the cleanup.
                let _ = fs::remove_file(&unfinished);
            }
            ColumnsError { action: "write", path: path.to_owned(), reason }
        })
}

/// Collective. Writes these tables by all processes together, without checksum and temporary name. Its cost is the
/// baseline for what [`write_together`] adds.
pub fn write_plain(comm: &dyn Comm, path: &Path, mut tables: Vec<ColumnTable>) -> Result<(), ColumnsError> {
    let laid = if comm.is_root() { lay_out(path, &tables, &[]) } else { Ok(()) };
    let synced = || fs::File::open(path).and_then(|file| file.sync_all()).map_err(|error| error.to_string());
    all_agree(comm, laid)
        .and_then(|()| all_agree(comm, write_rows(comm, path, &mut tables, &|| (), None)))
        .and_then(|()| all_agree(comm, synced()))
        .map_err(|reason| ColumnsError { action: "write", path: path.to_owned(), reason })
}

/// Reads back what [`write()`] has written.
pub fn read(path: &Path) -> Result<FileContent, ColumnsError> {
    VerifiedFile::open(&SerialComm, path)?.content()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn scene() -> Vec<(&'static str, Vec<Column>)> {
        let values = (0..400_000).map(|i| f64::from(i).sqrt()).collect();
        let bodies = vec![
            Column::new("velocity", "m/s", "velocity of the centre", 4, ColumnValues::Float(values)),
            Column::new("id", "1", "global id", 1, ColumnValues::Integer(vec![7, u64::MAX, 0])),
            Column::new("flags", "1", "kind of motion", 2, ColumnValues::Small(vec![1, 2, 3, u32::MAX])),
        ];
        let names = vec!["glass".to_owned(), String::new(), "acier trempé".to_owned()];
        let materials = vec![
            Column::new("name", "", "as in the scene", 1, ColumnValues::Text(names)),
            Column::new("density", "kg/m3", "", 1, ColumnValues::Float(vec![f64::NAN, -0.0, 1e-310])),
            Column::new("empty", "m", "no row", 3, ColumnValues::Float(vec![])),
        ];
        vec![("state", bodies), ("a materials group", materials), ("nothing", vec![])]
    }

    fn facts() -> Vec<(&'static str, Attribute)> {
        vec![
            ("time", Attribute::Float(0.1 + 0.2)),
            ("seed", Attribute::Integer(u64::MAX)),
            ("a scene", Attribute::Text("# long\n".repeat(20_000))),
            ("note", Attribute::Text(String::new())),
        ]
    }

    #[test]
    fn what_is_read_is_what_was_written_in_the_same_order_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("final.h5");
        write(&path, &scene(), &facts()).unwrap();
        let content = read(&path).unwrap();
        let (mut expected, mut found) = (scene(), content.groups.clone());
        let bits = |values: &ColumnValues| match values {
            ColumnValues::Float(values) => values.iter().map(|value| value.to_bits()).collect(),
            _ => vec![],
        };
        // NaN is not equal to itself, so its column is compared by bits.
        assert_eq!(bits(&expected[1].1[1].values), bits(&found[1].1[1].values));
        expected[1].1.remove(1);
        found[1].1.remove(1);
        let expected: Vec<_> = expected.into_iter().map(|(g, c)| (g.to_owned(), c)).collect();
        assert_eq!(found, expected);
        let expected: Vec<_> = facts().into_iter().map(|(n, a)| (n.to_owned(), a)).collect();
        assert_eq!(content.attributes, expected);
        assert_eq!(content.attribute("seed"), Some(&Attribute::Integer(u64::MAX)));
        assert_eq!(content.column("state", "id").map(Column::rows), Some(3));
        assert_eq!(content.column("state", "mass"), None);
        assert!(!unfinished_name(&path).exists());
    }

    #[test]
    fn the_same_content_written_a_second_later_gives_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("first.h5"), folder.path().join("second, b.h5"));
        write(&first, &scene(), &facts()).unwrap();
        std::thread::sleep(Duration::from_millis(1100));
        write(&second, &scene(), &facts()).unwrap();
        assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap());
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_says_which_column_was_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("final.h5");
        write(&path, &scene(), &facts()).unwrap();
        let before = fs::read(&path).unwrap();
        let wrong = Column::new("x", "m", "", 3, ColumnValues::Float(vec![1.0; 4]));
        let message = write(&path, &[("state", vec![wrong])], &[]).unwrap_err().to_string();
        assert!(message.ends_with("column state/x: 4 values do not fill rows of width 3"));
        let nul = Column::new("n", "", "", 1, ColumnValues::Text(vec!["a\0b".to_owned()]));
        assert!(write(&path, &[("state", vec![nul])], &[]).is_err());
        assert!(fs::read(&path).unwrap() == before);
        assert!(!unfinished_name(&path).exists());
    }

    #[test]
    fn errors_name_the_file_and_the_systems_reason() {
        let missing = Path::new("/nonexistent/folder/final.h5");
        let message = write(missing, &[], &[]).unwrap_err().to_string();
        assert_eq!(message, "cannot write /nonexistent/folder/final.h5: No such file or directory");
        let message = read(missing).unwrap_err().to_string();
        assert_eq!(message, "cannot read /nonexistent/folder/final.h5: No such file or directory (os error 2)");
    }
}
