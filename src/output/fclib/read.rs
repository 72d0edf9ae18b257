//! Reading of FCLIB files. Anything unexpected is an error that names the file and the dataset.

use std::path::Path;

use hdf5::types::{FixedAscii, FixedUnicode, VarLenAscii, VarLenUnicode};
use hdf5::{Dataset, File, H5Type};

use super::content::{FclibContent, FclibInfo, FclibSolution, Unreadable};
use crate::dim::{Dim, Square, Vector};
use crate::domain::GlobalContact;
use crate::output::columns::reason;
use crate::solver::delassus::Delassus;

type Read<T> = Result<T, Unreadable>;

/// Maximum length of a text.
const MAX_TEXT: usize = 4096;
/// Greatest compression ratio assumed of a file.
const MAX_COMPRESSION: u64 = 1000;

/// An open file.
struct FclibFile<'a> {
    path: &'a Path,
    file: File,
}

/// Dimension of the problem, 2 or 3.
pub fn dimension(path: &Path) -> Read<usize> {
    let source = FclibFile::open(path)?;
    match source.integer("fclib_local/spacedim")? {
        2 => Ok(2),
        3 => Ok(3),
        other => Err(source.wrong("fclib_local/spacedim", format!("{other}, expected 2 or 3"))),
    }
}

/// Reads the problem of a file, with its solution and guesses if any.
pub fn read<X: Dim>(path: &Path) -> Read<FclibContent<X>> {
    let source = FclibFile::open(path)?;
    let found = source.integer("fclib_local/spacedim")?;
    if found != X::D as i64 {
        return Err(source.wrong("fclib_local/spacedim", format!("{found}, expected {}", X::D)));
    }
    for name in ["V", "R"] {
        let object = format!("fclib_local/{name}");
        if source.has(&object) {
            return Err(source.wrong(&object, "equality constraints (V, R, s) are not supported".into()));
        }
    }
    let friction = source.numbers("fclib_local/vectors/mu", None)?;
    if let Some(bad) = friction.iter().position(|&mu| mu < 0.0) {
        let what = format!("entry {bad} is {}, expected a coefficient of at least 0", friction[bad]);
        return Err(source.wrong("fclib_local/vectors/mu", what));
    }
    let count = friction.len();
    let free = source.vectors::<X>("fclib_local/vectors/q", count)?;
    let problem = Delassus::new(source.blocks::<X>(count)?, free, friction);
    let solution = source.has("solution").then(|| source.pair("solution", count)).transpose()?;
    let mut guesses = Vec::new();
    while source.has(&format!("guesses/{}", guesses.len() + 1)) {
        guesses.push(source.pair(&format!("guesses/{}", guesses.len() + 1), count)?);
    }
    let text = |name: &str| source.text(&format!("fclib_local/info/{name}"));
    let about = FclibInfo { title: text("title"), description: text("description"), math_info: text("math_info") };
    let mut contacts = Vec::new();
    if source.has("nscdd") {
        let bodies = source.integers("nscdd/bodies", Some(2 * count))?;
        let points = source.vectors::<X>("nscdd/points", count)?;
        let normals = source.vectors::<X>("nscdd/normals", count)?;
        let of = |k: usize| GlobalContact {
            bodies: [bodies[2 * k] as u64, bodies[2 * k + 1] as u64],
            point: points[k],
            normal: normals[k],
        };
        contacts = (0..count).map(of).collect();
    }
    Ok(FclibContent { problem, solution, guesses, contacts, about })
}

impl<'a> FclibFile<'a> {
    fn open(path: &'a Path) -> Read<Self> {
        let unreadable = |what: String| Unreadable { path: path.to_owned(), object: "the file".into(), what };
        // For a missing file the message of the operating system is clearer than that of HDF5.
        std::fs::File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let file = File::with_options().with_fapl(|list| list.file_locking(false)).open(path);
        let file = file.map_err(|error| unreadable(format!("not an HDF5 file ({})", reason(&error))))?;
        let source = Self { path, file };
        if !source.has("fclib_local") {
            let found = if source.has("fclib_global") { "a global problem, expected a local one" } else { "missing" };
            return Err(source.wrong("fclib_local", found.into()));
        }
        Ok(source)
    }

    fn wrong(&self, object: &str, what: String) -> Unreadable {
        Unreadable { path: self.path.to_owned(), object: format!("/{object}"), what }
    }

    /// True if there is an object at this path. HDF5 requires every group above it to exist.
    fn has(&self, object: &str) -> bool {
        let ends = object.match_indices('/').map(|(end, _)| end).chain([object.len()]);
        ends.into_iter().all(|end| self.file.link_exists(&object[..end]))
    }

    /// A dataset of `length` values, or of any number.
    fn dataset(&self, object: &str, length: Option<usize>) -> Read<Dataset> {
        if !self.has(object) {
            return Err(self.wrong(object, "missing".into()));
        }
        let dataset =
            self.file.dataset(object).map_err(|_| self.wrong(object, "a group, expected a dataset".into()))?;
        let size = dataset.size();
        if let Some(length) = length.filter(|&length| length != size) {
            return Err(self.wrong(object, format!("{size} values, expected {length}")));
        }
        if size as u64 > self.file.size().saturating_mul(MAX_COMPRESSION) {
            return Err(self.wrong(object, format!("{size} values, more than a file of this length can hold")));
        }
        Ok(dataset)
    }

    fn raw<T: H5Type>(&self, object: &str, length: Option<usize>, kind: &str) -> Read<Vec<T>> {
        let dataset = self.dataset(object, length)?;
        dataset.read_raw().map_err(|error| self.wrong(object, format!("not {kind} ({})", reason(&error))))
    }

    /// Finite numbers.
    fn numbers(&self, object: &str, length: Option<usize>) -> Read<Vec<f64>> {
        let numbers = self.raw::<f64>(object, length, "numbers")?;
        match numbers.iter().position(|x| !x.is_finite()) {
            Some(bad) => Err(self.wrong(object, format!("entry {bad} is {}, expected a finite number", numbers[bad]))),
            None => Ok(numbers),
        }
    }

    fn integers(&self, object: &str, length: Option<usize>) -> Read<Vec<i64>> {
        self.raw(object, length, "integers")
    }

    fn integer(&self, object: &str) -> Read<i64> {
        Ok(self.integers(object, Some(1))?[0])
    }

    fn vectors<X: Dim>(&self, object: &str, contacts: usize) -> Read<Vec<X::Vector>> {
        let numbers = self.numbers(object, Some(X::D * contacts))?;
        Ok(numbers.chunks_exact(X::D).map(X::Vector::read).collect())
    }

    fn pair<X: Dim>(&self, object: &str, contacts: usize) -> Read<FclibSolution<X>> {
        let velocities = self.vectors::<X>(&format!("{object}/u"), contacts)?;
        let impulses = self.vectors::<X>(&format!("{object}/r"), contacts)?;
        Ok(FclibSolution { velocities, impulses })
    }

    /// A text, in any storage; empty if there is none.
    fn text(&self, object: &str) -> String {
        let Ok(dataset) = self.dataset(object, Some(1)) else { return String::new() };
        let bytes = (dataset.read_scalar::<FixedAscii<MAX_TEXT>>().map(|text| text.as_bytes().to_vec()))
            .or_else(|_| dataset.read_scalar::<FixedUnicode<MAX_TEXT>>().map(|text| text.as_bytes().to_vec()))
            .or_else(|_| dataset.read_scalar::<VarLenAscii>().map(|text| text.as_bytes().to_vec()))
            .or_else(|_| dataset.read_scalar::<VarLenUnicode>().map(|text| text.as_bytes().to_vec()));
        bytes.map_or(String::new(), |bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
    }

    /// W as blocks.
    fn blocks<X: Dim>(&self, contacts: usize) -> Read<Vec<(u32, u32, X::Matrix)>> {
        let at = |name: &str| format!("fclib_local/W/{name}");
        let size = X::D * contacts;
        for name in ["m", "n"] {
            let found = self.integer(&at(name))?;
            if usize::try_from(found) != Ok(size) {
                let what =
                    format!("{found}, expected {size}: {} for each of {contacts} coefficients of friction", X::D);
                return Err(self.wrong(&at(name), what));
            }
        }
        if u32::try_from(size).is_err() {
            return Err(self.wrong(&at("m"), format!("{size}, more than this program can number")));
        }
        let mut entries = self.entries(size)?;
        // Stable: duplicates are summed in the order of the file.
        entries.sort_by_key(|&(row, column, _)| (row / X::D as u32, column / X::D as u32));
        let block_of = |entry: &(u32, u32, f64)| (entry.0 / X::D as u32, entry.1 / X::D as u32);
        let block = |chunk: &[(u32, u32, f64)]| {
            let mut values = [[0.0; 3]; 3];
            for &(row, column, value) in chunk {
                values[row as usize % X::D][column as usize % X::D] += value;
            }
            let (row, column) = block_of(&chunk[0]);
            (row, column, X::Matrix::from_fn(|i, j| values[i][j]))
        };
        Ok(entries.chunk_by(|a, b| block_of(a) == block_of(b)).map(block).collect())
    }

    /// W as entries (row, column, value).
    fn entries(&self, size: usize) -> Read<Vec<(u32, u32, f64)>> {
        let at = |name: &str| format!("fclib_local/W/{name}");
        let nz = self.integer(&at("nz"))?;
        let index =
            |name: &str, length: Option<usize>| -> Read<Vec<u32>> {
                let all = self.integers(&at(name), length)?;
                match all.iter().position(|&k| k < 0 || k >= size as i64) {
                    Some(bad) => Err(self
                        .wrong(&at(name), format!("entry {bad} is {}, expected 0 to {}", all[bad], size as i64 - 1))),
                    // Each index is below `size`, which fits into u32.
                    None => Ok(all.into_iter().map(|k| k as u32).collect()),
                }
            };
        if nz >= 0 {
            let count = Some(nz as usize);
            let (columns, rows, values) = (index("p", count)?, index("i", count)?, self.numbers(&at("x"), count)?);
            return Ok(rows.into_iter().zip(columns).zip(values).map(|((row, column), x)| (row, column, x)).collect());
        }
        if nz < -2 {
            return Err(
                self.wrong(&at("nz"), format!("{nz}, expected a number of triplets, -1 (columns) or -2 (rows)"))
            );
        }
        let starts = self.integers(&at("p"), Some(size + 1))?;
        let count = starts[size];
        if starts[0] != 0 || starts.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(self.wrong(&at("p"), "expected offsets that begin at 0 and never fall".into()));
        }
        let count = Some(count as usize);
        let (inner, values) = (index("i", count)?, self.numbers(&at("x"), count)?);
        let mut entries = Vec::with_capacity(values.len());
        for outer in 0..size {
            for k in starts[outer] as usize..starts[outer + 1] as usize {
                let (outer, inner) = (outer as u32, inner[k]);
                entries.push(if nz == -1 { (inner, outer, values[k]) } else { (outer, inner, values[k]) });
            }
        }
        Ok(entries)
    }
}
