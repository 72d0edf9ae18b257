//! What to do with a damaged file.

/// Remedy for a file that is damaged.
pub(super) const EXPORT_AGAIN: &str = "export the file again";
