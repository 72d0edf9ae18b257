//! Hyperslabs: transfer of consecutive rows of an HDF5 dataset from and to memory without conversion.
//!
//! The safe interface writes rows one by one where widths differ, and never collectively; these are the few HDF5 calls
//! that do both.

use std::ffi::c_void;

use hdf5::{Dataset, Datatype, FileBuilder, H5Type};
use hdf5_sys::h5d::{H5Dget_space, H5Dread, H5Dwrite, H5Dwrite_chunk};
use hdf5_sys::h5i::hid_t;
use hdf5_sys::h5p::H5P_DEFAULT;
use hdf5_sys::h5s::{H5S_SELECT_SET, H5Sclose, H5Screate_simple, H5Sselect_hyperslab, H5Sselect_none};

use super::columns::ColumnValues;
use crate::comm::Comm;

/// Selection of `count` rows from `start`, each of `width` values.
#[derive(Clone, Copy)]
pub(crate) struct Hyperslab {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) width: usize,
}

/// How the rows of several processes are written.
pub(crate) enum Transfer {
    /// Each process writes independently.
    Alone,
    /// All processes write their rows in one collective call; processes without rows must call too.
    #[cfg(feature = "mpi")]
    Together,
}

impl Transfer {
    /// The transfer mode for the processes of `comm`.
    pub(crate) fn of(comm: &dyn Comm) -> Self {
        #[cfg(feature = "mpi")]
        if comm.handle().is_some() {
            return Self::Together;
        }
        let _ = comm;
        Self::Alone
    }

    /// Sets the file access properties for this mode.
    pub(crate) fn prepare(&self, comm: &dyn Comm, options: &mut FileBuilder) {
        match self {
            Self::Alone => {}
            #[cfg(feature = "mpi")]
            Self::Together => {
                if let Some(handle) = comm.handle() {
                    options.with_fapl(|list| list.mpio(handle, None));
                }
            }
        }
        let _ = (comm, options);
    }
}

/// Writes `values`, row by row.
pub(crate) fn put<T: H5Type>(
    dataset: &Dataset,
    slab: Hyperslab,
    values: &[T],
    transfer: &Transfer,
) -> Result<(), String> {
    assert_eq!(values.len(), slab.count * slab.width, "as many values as the rows hold");
    let kind = Datatype::from_type::<T>().map_err(|error| super::columns::reason(&error))?;
    // SAFETY: by the assertion, `values` has as many elements of type `kind` as the rows of `slab` hold.
    unsafe { write(dataset, slab, &kind, values.as_ptr().cast(), transfer) }
}

/// Writes values of type `kind`, given as bytes.
pub(crate) fn put_bytes(
    dataset: &Dataset,
    slab: Hyperslab,
    kind: &Datatype,
    bytes: &[u8],
    transfer: &Transfer,
) -> Result<(), String> {
    assert_eq!(bytes.len(), slab.count * slab.width * kind.size(), "as many bytes as the rows hold");
    // SAFETY: by the assertion, `bytes` has as many elements of type `kind` as the rows of `slab` hold.
    unsafe { write(dataset, slab, kind, bytes.as_ptr().cast(), transfer) }
}

/// # Safety
/// `values` points to as many elements of the type `kind` as the rows of `slab` hold.
unsafe fn write(
    dataset: &Dataset,
    slab: Hyperslab,
    kind: &Datatype,
    values: *const c_void,
    transfer: &Transfer,
) -> Result<(), String> {
    hdf5::sync::sync(|| {
        let list = TransferList::new(transfer)?;
        let spaces = Spaces::new(dataset.id(), slab)?;
        // SAFETY: the ids are live; `values` holds as many elements of the type `kind` as the memory space selects.
        let done = unsafe { H5Dwrite(dataset.id(), kind.id(), spaces.memory, spaces.file, list.0, values) };
        checked(done)
    })
}

/// The bytes of numbers in memory, which are also those in the file, since files use the native types.
pub(crate) fn bytes(values: &ColumnValues) -> Option<&[u8]> {
    fn view<T: Copy>(values: &[T]) -> &[u8] {
        // SAFETY: the slice covers the memory of `values` and lives as long as its borrow; the calls below pass
        // numbers, which have no padding; bytes need no alignment.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
    }
    match values {
        ColumnValues::Float(values) => Some(view(values)),
        ColumnValues::Integer(values) => Some(view(values)),
        ColumnValues::Small(values) => Some(view(values)),
        ColumnValues::Byte(values) => Some(view(values)),
        ColumnValues::Text(_) => None,
    }
}

/// Writes a chunk that begins at row `row`, already compressed as the filters of the dataset would do.
pub(crate) fn put_chunk(dataset: &Dataset, row: usize, packed: &[u8]) -> Result<(), String> {
    let start = [row as u64, 0];
    hdf5::sync::sync(|| {
        // SAFETY: the dataset is live and has one or two dimensions, so `start` is long enough; the length passed is
        // that of `packed`.
        let done = unsafe {
            H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, start.as_ptr(), packed.len(), packed.as_ptr().cast())
        };
        checked(done)
    })
}

/// Reads rows, one after the other.
pub(crate) fn get<T: H5Type + Copy + Default>(dataset: &Dataset, slab: Hyperslab) -> Result<Vec<T>, String> {
    let kind = Datatype::from_type::<T>().map_err(|error| super::columns::reason(&error))?;
    let mut values = vec![T::default(); slab.count * slab.width];
    hdf5::sync::sync(|| {
        let spaces = Spaces::new(dataset.id(), slab)?;
        // SAFETY: the ids are live; `values` has space for as many elements of the type `kind` as the memory space
        // selects.
        let done = unsafe {
            H5Dread(dataset.id(), kind.id(), spaces.memory, spaces.file, H5P_DEFAULT, values.as_mut_ptr().cast())
        };
        checked(done)
    })?;
    Ok(values)
}

/// Data spaces of the rows in the file and in memory.
struct Spaces {
    file: hid_t,
    memory: hid_t,
}

impl Spaces {
    fn new(dataset: hid_t, slab: Hyperslab) -> Result<Self, String> {
        let rank = if slab.width == 1 { 1 } else { 2 };
        let (start, count) = ([slab.start as u64, 0], [slab.count as u64, slab.width as u64]);
        // SAFETY: `start` and `count` have at least `rank` entries; null stands for no stride, no block and no maximum
        // size. A space that could not be created has a negative id, which the following calls refuse.
        unsafe {
            let spaces =
                Self { file: H5Dget_space(dataset), memory: H5Screate_simple(rank, count.as_ptr(), std::ptr::null()) };
            let selected = match slab.count {
                0 => H5Sselect_none(spaces.file).min(H5Sselect_none(spaces.memory)),
                _ => {
                    let null = std::ptr::null();
                    H5Sselect_hyperslab(spaces.file, H5S_SELECT_SET, start.as_ptr(), null, count.as_ptr(), null)
                }
            };
            checked(selected.min(if spaces.memory < 0 { -1 } else { 0 }))?;
            Ok(spaces)
        }
    }
}

impl Drop for Spaces {
    fn drop(&mut self) {
        // SAFETY: this value owns the spaces and closes them once; HDF5 refuses a negative id.
        unsafe {
            H5Sclose(self.file);
            H5Sclose(self.memory);
        }
    }
}

/// Transfer property list: the default, or collective.
struct TransferList(hid_t);

impl TransferList {
    fn new(transfer: &Transfer) -> Result<Self, String> {
        match transfer {
            Transfer::Alone => Ok(Self(H5P_DEFAULT)),
            #[cfg(feature = "mpi")]
            Transfer::Together => {
                use hdf5_sys::h5p::{H5FD_mpio_xfer_t, H5P_CLS_DATASET_XFER, H5Pcreate, H5Pset_dxpl_mpio};
                // SAFETY: the list is owned by this value and closed when dropped.
                unsafe {
                    let list = Self(H5Pcreate(*H5P_CLS_DATASET_XFER));
                    checked(H5Pset_dxpl_mpio(list.0, H5FD_mpio_xfer_t::H5FD_MPIO_COLLECTIVE))?;
                    Ok(list)
                }
            }
        }
    }
}

impl Drop for TransferList {
    fn drop(&mut self) {
        if self.0 != H5P_DEFAULT {
            // SAFETY: created by `new`, closed once.
            unsafe { hdf5_sys::h5p::H5Pclose(self.0) };
        }
    }
}

/// Converts the code of a failed call into the error message of HDF5.
fn checked(code: i32) -> Result<(), String> {
    hdf5::h5check(code).map(drop).map_err(|error| super::columns::reason(&error))
}
