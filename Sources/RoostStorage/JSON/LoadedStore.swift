import Foundation
import RoostModel

/// The way in which a process uses the files of a store.
enum StoreAccess {
    /// The process holds the writers' lock, so no other process changes the files.
    case writer
    /// Other processes may write at the same time while they hold the lock on the file `lock`.
    case reader(lock: URL)
}

/// The state that a provider has read from the files of a store, and how much of the files it has read.
struct LoadedStore {
    var state: StoreState
    /// Reads the archived entries of the state.
    var contents: GenerationContents?
    /// The content of `CURRENT` when the state was read, or `nil` if the file did not exist.
    var current: Data?
    /// The current generation; `nil` if it does not exist.
    var generation: Generation?
    /// The number of bytes of the journal whose commits the state contains.
    var journalLength = 0
    /// The minimum length of the journal according to ``CommitMark``; `nil` if the mark is missing.
    var committedLength: Int?
    /// The files of another program that the state was read from; `nil` if Roost wrote the store.
    var foreignFiles: [ForeignFolder.Signature]?
    var isClosed = false
    /// The minimum length of the journal at which folding is attempted again after a failure.
    var minimumFoldLength = 0
}
