//! Named, typed, documented columns in an HDF5 file: checkpoints and `final.h5` are such files.
//!
//! In: groups of columns, a few attributes. Out: one file, or the same values back from it.
//!
//! Three promises. *The bytes depend on the content alone*: no object carries a time, so two runs
//! that agree leave files that `cmp` finds equal. *A file is whole or absent*: it is written under
//! another name and renamed once on disk. *Damage is noticed*: a line at the head of the file, where
//! HDF5 leaves room, seals all that follows; for other programs each column of numbers carries a
//! Fletcher-32 checksum too.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use hdf5::file::{AttrCreationOrder, FileAccessBuilder, LinkCreationOrder};
use hdf5::types::{FloatSize, IntSize, TypeDescriptor, VarLenUnicode};
use hdf5::{Dataset, File, Group, H5Type, IndexType, IterationOrder, Location};

/// A chunk is what HDF5 checks and moves at once; one of these fits its cache of 1 MiB.
const CHUNK_BYTES: usize = 1 << 20;

/// Bytes at the head of the file that are not HDF5's: room for the seal.
const HEAD_BYTES: u64 = 512;

/// The numbers or texts of a column, row after row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Measured or computed quantities; stored to the bit.
    Float(Vec<f64>),
    /// Ids and counters.
    Integer(Vec<u64>),
    /// Indices, kinds and flags.
    Small(Vec<u32>),
    /// Names; without the character NUL, which ends a text in HDF5.
    Text(Vec<String>),
}

impl Values {
    /// Number of values, all components of all rows counted.
    pub fn len(&self) -> usize {
        match self {
            Values::Float(values) => values.len(),
            Values::Integer(values) => values.len(),
            Values::Small(values) => values.len(),
            Values::Text(values) => values.len(),
        }
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One dataset of shape `[rows]`, or `[rows, width]` where `width` is not 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The dataset's name in its group.
    pub name: String,
    /// The SI unit, `1` for a pure number.
    pub unit: Cow<'static, str>,
    /// One sentence for whoever opens the file without this program.
    pub about: Cow<'static, str>,
    /// Values a row.
    pub width: usize,
    /// All rows, one after the other.
    pub values: Values,
}

impl Column {
    /// A column of `values`, `width` of them a row.
    pub fn new(name: impl Into<String>, unit: &'static str, about: &'static str, width: usize, values: Values) -> Self {
        Column { name: name.into(), unit: unit.into(), about: about.into(), width, values }
    }

    /// Number of rows; zero where the width is zero.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    fn shape(&self) -> Result<Vec<usize>, String> {
        if self.rows() * self.width != self.values.len() || self.width == 0 {
            let length = self.values.len();
            return Err(format!("{length} values do not fill rows of width {}", self.width));
        }
        Ok(if self.width == 1 { vec![self.rows()] } else { vec![self.rows(), self.width] })
    }
}

/// A fact about the whole file.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// A text of any length, without the character NUL.
    Text(String),
    /// A count, an id or a seed.
    Integer(u64),
    /// A quantity.
    Float(f64),
}

/// What a file holds, in the order in which it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// Groups by name, each with its columns.
    pub groups: Vec<(String, Vec<Column>)>,
    /// Attributes of the file by name.
    pub attributes: Vec<(String, Attribute)>,
}

impl Content {
    /// The column of that name in that group.
    pub fn column(&self, group: &str, name: &str) -> Option<&Column> {
        let (_, columns) = self.groups.iter().find(|(own, _)| own == group)?;
        columns.iter().find(|column| column.name == name)
    }

    /// The attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

/// Why a file could not be written or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {reason}", path.display())]
pub struct ColumnsError {
    /// `write` or `read`.
    pub action: &'static str,
    /// The file as the caller named it.
    pub path: PathBuf,
    /// What stood in the way, and at which column or attribute.
    pub reason: String,
}

/// Writes the file, or leaves what stood there before.
pub fn write(
    path: &Path,
    groups: &[(&str, Vec<Column>)],
    attributes: &[(&str, Attribute)],
) -> Result<(), ColumnsError> {
    let unfinished = unfinished_name(path);
    fill(&unfinished, groups, attributes)
        .and_then(|()| put_seal(&unfinished).map_err(|error| error.to_string()))
        .and_then(|()| replace_file(&unfinished, path).map_err(|error| error.to_string()))
        .map_err(|reason| {
            // Best effort: the reason to report is the first failure, not that of tidying up.
            let _ = fs::remove_file(&unfinished);
            ColumnsError { action: "write", path: path.to_owned(), reason }
        })
}

/// Reads back what [`write()`] was given.
pub fn read(path: &Path) -> Result<Content, ColumnsError> {
    fetch(path).map_err(|reason| ColumnsError { action: "read", path: path.to_owned(), reason })
}

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

/// The system's own words where HDF5 has them: it buries them under addresses and file handles.
pub(crate) fn reason(error: &hdf5::Error) -> String {
    let said = error.to_string();
    let system = said.split_once("error message = '").and_then(|(_, rest)| rest.split_once('\''));
    system.map_or(said.clone(), |(message, _)| message.to_owned())
}

/// Locks protect against a second writer, which the rename does already, and fail on those
/// file systems of clusters that have none.
fn access(list: &mut FileAccessBuilder) -> &mut FileAccessBuilder {
    list.libver_v110().file_locking(false)
}

fn fill(path: &Path, groups: &[(&str, Vec<Column>)], attributes: &[(&str, Attribute)]) -> Result<(), String> {
    let file = File::with_options()
        .with_fapl(access)
        .with_fcpl(|list| {
            list.userblock(HEAD_BYTES)
                .obj_track_times(false)
                .link_creation_order(LinkCreationOrder::Indexed)
                .attr_creation_order(AttrCreationOrder::Indexed)
        })
        .create(path)
        .map_err(|error| reason(&error))?;
    for (name, value) in attributes {
        let done = match value {
            Attribute::Text(text) => put_text(&file, name, text),
            Attribute::Integer(value) => put_scalar(&file, name, value),
            Attribute::Float(value) => put_scalar(&file, name, value),
        };
        done.map_err(|error| format!("attribute {name}: {}", reason(&error)))?;
    }
    for (name, columns) in groups {
        let group = file
            .create_group_builder()
            .obj_track_times(false)
            .with_gcpl(|list| list.link_creation_order(LinkCreationOrder::Indexed))
            .create(*name)
            .map_err(|error| format!("group {name}: {}", reason(&error)))?;
        for column in columns {
            put_column(&group, column).map_err(|why| format!("column {name}/{}: {why}", column.name))?;
        }
    }
    // A failed flush can be reported; a failed close would leave the handle half open.
    file.flush().and_then(|()| file.close()).map_err(|error| reason(&error))
}

fn put_column(group: &Group, column: &Column) -> Result<(), String> {
    let shape = column.shape()?;
    match &column.values {
        Values::Float(values) => put_values(group, column, &shape, values),
        Values::Integer(values) => put_values(group, column, &shape, values),
        Values::Small(values) => put_values(group, column, &shape, values),
        Values::Text(texts) => texts
            .iter()
            .map(|text| stored(text))
            .collect::<hdf5::Result<Vec<_>>>()
            .and_then(|texts| put_values(group, column, &shape, &texts)),
    }
    .map_err(|error| reason(&error))
}

fn put_values<T: H5Type>(group: &Group, column: &Column, shape: &[usize], values: &[T]) -> hdf5::Result<()> {
    let mut builder = group.new_dataset::<T>();
    let is_text = matches!(column.values, Values::Text(_));
    if !values.is_empty() && !is_text {
        // As many chunks as the size asks for, all about equally full: the file pays for whole ones.
        let chunks = size_of_val(values).div_ceil(CHUNK_BYTES);
        let mut chunk = shape.to_vec();
        chunk[0] = shape[0].div_ceil(chunks);
        builder = builder.chunk(chunk).fletcher32();
    }
    let dataset = builder.shape(shape).create(column.name.as_str())?;
    dataset.write_raw(values)?;
    // A chunk still in the cache would be written when the handle is dropped, and the word that the
    // disk is full be lost.
    dataset.flush()?;
    put_text(&dataset, "unit", &column.unit)?;
    put_text(&dataset, "description", &column.about)
}

fn put_scalar<T: H5Type>(place: &Location, name: &str, value: &T) -> hdf5::Result<()> {
    place.new_attr::<T>().create(name)?.write_scalar(value)
}

fn put_text(place: &Location, name: &str, text: &str) -> hdf5::Result<()> {
    put_scalar(place, name, &stored(text)?)
}

fn stored(text: &str) -> hdf5::Result<VarLenUnicode> {
    text.parse().map_err(|error| hdf5::Error::Internal(format!("{text:?}: {error}")))
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

fn put_seal(path: &Path) -> io::Result<()> {
    let seal = seal(path)?;
    fs::OpenOptions::new().write(true).open(path)?.write_all(seal.as_bytes())
}

fn check_seal(path: &Path) -> Result<(), String> {
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

fn fetch(path: &Path) -> Result<Content, String> {
    check_seal(path)?;
    let file = File::with_options().with_fapl(access).open(path).map_err(|error| reason(&error))?;
    let mut content = Content { groups: Vec::new(), attributes: Vec::new() };
    let names = file.attr_names_by(IndexType::CreationOrder, IterationOrder::Increasing);
    for name in names.map_err(|error| reason(&error))? {
        let value = get_attribute(&file, &name).map_err(|why| format!("attribute {name}: {why}"))?;
        content.attributes.push((name, value));
    }
    for name in members(&file)? {
        let group = file.group(&name).map_err(|error| format!("group {name}: {}", reason(&error)))?;
        let columns = members(&group)?
            .into_iter()
            .map(|own| get_column(&group, &own).map_err(|why| format!("column {name}/{own}: {why}")))
            .collect::<Result<_, _>>()?;
        content.groups.push((name, columns));
    }
    Ok(content)
}

fn members(group: &Group) -> Result<Vec<String>, String> {
    group.member_names_by(IndexType::CreationOrder, IterationOrder::Increasing).map_err(|error| reason(&error))
}

fn get_column(group: &Group, name: &str) -> Result<Column, String> {
    let dataset = group.dataset(name).map_err(|error| reason(&error))?;
    let values = get_values(&dataset)?;
    let width = match dataset.shape()[..] {
        [_] => 1,
        [_, width] => width,
        _ => return Err("neither one nor two dimensions".to_owned()),
    };
    let (unit, about) = (get_text(&dataset, "unit")?, get_text(&dataset, "description")?);
    Ok(Column { name: name.to_owned(), unit: unit.into(), about: about.into(), width, values })
}

fn get_values(dataset: &Dataset) -> Result<Values, String> {
    let kind = dataset.dtype().and_then(|kind| kind.to_descriptor());
    match kind.map_err(|error| reason(&error))? {
        TypeDescriptor::Float(FloatSize::U8) => dataset.read_raw().map(Values::Float),
        TypeDescriptor::Unsigned(IntSize::U8) => dataset.read_raw().map(Values::Integer),
        TypeDescriptor::Unsigned(IntSize::U4) => dataset.read_raw().map(Values::Small),
        TypeDescriptor::VarLenUnicode => {
            let texts = dataset.read_raw::<VarLenUnicode>().map_err(|error| reason(&error))?;
            return texts.iter().map(fetched).collect::<Result<_, _>>().map(Values::Text);
        }
        other => return Err(format!("values of type {other}, which this program never writes")),
    }
    .map_err(|error| reason(&error))
}

fn get_attribute(place: &Location, name: &str) -> Result<Attribute, String> {
    let attribute = place.attr(name).map_err(|error| reason(&error))?;
    let kind = attribute.dtype().and_then(|kind| kind.to_descriptor());
    match kind.map_err(|error| reason(&error))? {
        TypeDescriptor::Float(FloatSize::U8) => attribute.read_scalar().map(Attribute::Float),
        TypeDescriptor::Unsigned(IntSize::U8) => attribute.read_scalar().map(Attribute::Integer),
        TypeDescriptor::VarLenUnicode => return get_text(place, name).map(Attribute::Text),
        other => return Err(format!("a value of type {other}, which this program never writes")),
    }
    .map_err(|error| reason(&error))
}

fn get_text(place: &Location, name: &str) -> Result<String, String> {
    let text = place.attr(name).and_then(|attribute| attribute.read_scalar::<VarLenUnicode>());
    fetched(&text.map_err(|error| format!("attribute {name}: {}", reason(&error)))?)
}

/// The crate takes a stored text for valid UTF-8 unseen; a damaged one need not be.
fn fetched(text: &VarLenUnicode) -> Result<String, String> {
    String::from_utf8(text.as_bytes().to_vec()).map_err(|_| "a text that is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn scene() -> Vec<(&'static str, Vec<Column>)> {
        let values = (0..400_000).map(|i| f64::from(i).sqrt()).collect();
        let bodies = vec![
            Column::new("velocity", "m/s", "velocity of the centre", 4, Values::Float(values)),
            Column::new("id", "1", "global id", 1, Values::Integer(vec![7, u64::MAX, 0])),
            Column::new("flags", "1", "kind of motion", 2, Values::Small(vec![1, 2, 3, u32::MAX])),
        ];
        let names = vec!["glass".to_owned(), String::new(), "acier trempé".to_owned()];
        let materials = vec![
            Column::new("name", "", "as in the scene", 1, Values::Text(names)),
            Column::new("density", "kg/m3", "", 1, Values::Float(vec![f64::NAN, -0.0, 1e-310])),
            Column::new("empty", "m", "no row", 3, Values::Float(vec![])),
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
        let bits = |values: &Values| match values {
            Values::Float(values) => values.iter().map(|value| value.to_bits()).collect(),
            _ => vec![],
        };
        // Not a number is not equal to itself, so its column is compared by its bits.
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

    #[test]
    fn a_failed_write_leaves_the_old_file_and_says_which_column_was_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("final.h5");
        write(&path, &scene(), &facts()).unwrap();
        let before = fs::read(&path).unwrap();
        let wrong = Column::new("x", "m", "", 3, Values::Float(vec![1.0; 4]));
        let message = write(&path, &[("state", vec![wrong])], &[]).unwrap_err().to_string();
        assert!(message.ends_with("column state/x: 4 values do not fill rows of width 3"));
        let nul = Column::new("n", "", "", 1, Values::Text(vec!["a\0b".to_owned()]));
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
