//! Whether data is kept on disk or in memory, as a context.

/// Where everything is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageStatus {
    Device,
    /// On this device, written by a newer version: it is shown, and cannot be changed.
    ReadOnly,
    /// In this page only: the browser denies storage.
    Denied,
    /// In this page only: what is on the device was written by a newer version, and is left as it is.
    Newer,
    /// In this page only: the device is full.
    Full,
    /// In this page only: the database failed.
    Failed,
}
