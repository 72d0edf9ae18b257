//! Consecutive rows of a dataset, to and from memory as they lie there.
//!
//! The safe interface writes rows one by one where widths differ, and never together with other processes; these are
//! the few calls of HDF5 that do both.

use std::ffi::c_void;

use hdf5::{Dataset, Datatype, FileBuilder, H5Type};
use hdf5_sys::h5d::{H5Dget_space, H5Dread, H5Dwrite, H5Dwrite_chunk};
use hdf5_sys::h5i::hid_t;
use hdf5_sys::h5p::H5P_DEFAULT;
use hdf5_sys::h5s::{H5S_SELECT_SET, H5Sclose, H5Screate_simple, H5Sselect_hyperslab, H5Sselect_none};

use super::columns::ColumnValues;
use crate::comm::Comm;

/// Which rows: `count` of them from `start`, each of `width` values.
#[derive(Clone, Copy)]
pub(crate) struct Hyperslab {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) width: usize,
}

/// How the rows of several processes go to the file.
pub(crate) enum Transfer {
    /// Each process writes by itself.
    Alone,
    /// All processes write their rows in one call; all must call, also those without a row.
    #[cfg(feature = "mpi")]
    Together,
}

impl Transfer {
    /// How the processes of `comm` write.
    pub(crate) fn of(comm: &dyn Comm) -> Self {
        #[cfg(feature = "mpi")]
        if comm.handle().is_some() {
            return Self::Together;
        }
        let _ = comm;
        Self::Alone
    }

    /// Opens files so.
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

/// Writes `values`, row after row.
pub(crate) fn put<T: H5Type>(
    dataset: &Dataset,
    slab: Hyperslab,
    values: &[T],
    transfer: &Transfer,
) -> Result<(), String> {
    assert_eq!(values.len(), slab.count * slab.width, "as many values as the rows hold");
    let kind = Datatype::from_type::<T>().map_err(|error| super::columns::reason(&error))?;
    // SAFETY: as many elements of that type as the rows hold.
    unsafe { write(dataset, slab, &kind, values.as_ptr().cast(), transfer) }
}

/// The same of numbers of that `kind`, as bytes.
pub(crate) fn put_bytes(
    dataset: &Dataset,
    slab: Hyperslab,
    kind: &Datatype,
    bytes: &[u8],
    transfer: &Transfer,
) -> Result<(), String> {
    assert_eq!(bytes.len(), slab.count * slab.width * kind.size(), "as many bytes as the rows hold");
    // SAFETY: as many elements of that type as the rows hold.
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

/// The bytes of numbers as they lie in memory and, since files have the machine's own types, in the file.
pub(crate) fn bytes(values: &ColumnValues) -> Option<&[u8]> {
    fn view<T: Copy>(values: &[T]) -> &[u8] {
        // SAFETY: the same memory, as long as `values` is borrowed; called below for numbers, which have no padding, and
        // bytes may lie anywhere.
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

/// Writes a chunk that begins with row `row`, packed as the dataset's filters would have it.
pub(crate) fn put_chunk(dataset: &Dataset, row: usize, packed: &[u8]) -> Result<(), String> {
    let start = [row as u64, 0];
    hdf5::sync::sync(|| {
        // SAFETY: the dataset is live and has one or two dimensions; `packed` is as long as is said.
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
        // SAFETY: the ids are live; `values` has room for as many elements of the type `kind` as the memory space
        // selects.
        let done = unsafe {
            H5Dread(dataset.id(), kind.id(), spaces.memory, spaces.file, H5P_DEFAULT, values.as_mut_ptr().cast())
        };
        checked(done)
    })?;
    Ok(values)
}

/// The rows in the file and in memory.
struct Spaces {
    file: hid_t,
    memory: hid_t,
}

impl Spaces {
    fn new(dataset: hid_t, slab: Hyperslab) -> Result<Self, String> {
        let rank = if slab.width == 1 { 1 } else { 2 };
        let (start, count) = ([slab.start as u64, 0], [slab.count as u64, slab.width as u64]);
        // SAFETY: `start` and `count` have at least `rank` entries; null stands for no stride and no block, and for
        // no greatest size. A space that could not be made is negative, and refused by the calls that follow.
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
        // SAFETY: spaces of our own, closed once; a negative id is refused.
        unsafe {
            H5Sclose(self.file);
            H5Sclose(self.memory);
        }
    }
}

/// How to transfer: the default, or together with the others.
struct TransferList(hid_t);

impl TransferList {
    fn new(transfer: &Transfer) -> Result<Self, String> {
        match transfer {
            Transfer::Alone => Ok(Self(H5P_DEFAULT)),
            #[cfg(feature = "mpi")]
            Transfer::Together => {
                use hdf5_sys::h5p::{H5FD_mpio_xfer_t, H5P_CLS_DATASET_XFER, H5Pcreate, H5Pset_dxpl_mpio};
                // SAFETY: a list of our own, closed when dropped.
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
            // SAFETY: made by `new`, closed once.
            unsafe { hdf5_sys::h5p::H5Pclose(self.0) };
        }
    }
}

/// What HDF5 has to say about a call that failed.
fn checked(code: i32) -> Result<(), String> {
    hdf5::h5check(code).map(drop).map_err(|error| super::columns::reason(&error))
}
