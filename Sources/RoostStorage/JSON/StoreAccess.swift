import Foundation

/// The way in which a process uses the files of a store.
enum StoreAccess {
    /// The process holds the writers' lock, so no other process changes the files.
    case writer
    /// Other processes may write at the same time while they hold the lock on the file `lock`.
    case reader(lock: URL)
}
