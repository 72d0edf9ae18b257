//! Shapes, motions and links as bytes, exactly as in memory. Other columns contain what other programs need of them as
//! text and numbers.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::output::columns::{Column, ColumnValues, VerifiedFile};

/// Packs items into two columns: the length of each item, and the bytes of all items.
pub(crate) fn pack<T: Serialize>(items: &[T]) -> Result<(Column, Column), String> {
    let mut bytes = Vec::new();
    let mut lengths = Vec::new();
    for item in items {
        let packed = postcard::to_stdvec(item).map_err(|error| error.to_string())?;
        lengths.push(packed.len() as u32);
        bytes.extend(packed);
    }
    let about = "how many bytes of the definitions are its own, in order";
    let lengths = Column::new("definition_bytes", "", about, 1, ColumnValues::Small(lengths));
    let about = "exact definitions, one after the other, in the `postcard` format of this program's own types";
    Ok((lengths, Column::new("bytes", "", about, 1, ColumnValues::Byte(bytes))))
}

/// Unpacks the items.
pub(crate) fn unpack<T: DeserializeOwned>(
    file: &VerifiedFile,
    group: &str,
    definitions: &str,
) -> Result<Vec<T>, String> {
    let column = |group: &str, name: &str| file.column(group, name, None).map_err(|error| error.reason);
    let (ColumnValues::Small(lengths), ColumnValues::Byte(bytes)) =
        (column(group, "definition_bytes")?.values, column(definitions, "bytes")?.values)
    else {
        return Err(format!("{group}: definitions of another type"));
    };
    let mut rest = &bytes[..];
    let mut next = |length: u32| {
        let (own, others) = rest.split_at_checked(length as usize).ok_or(format!("{definitions} end too soon"))?;
        rest = others;
        postcard::from_bytes(own).map_err(|error| format!("{definitions}: {error}"))
    };
    lengths.into_iter().map(&mut next).collect()
}
