import Foundation
import RoostModel

/// The part of a store that a provider has read from its files, and how far it has read them.
struct LoadedStore {
    var state: StoreState
    /// Reads the archived entries of the state.
    var contents: GenerationContents?
    /// The content of `CURRENT` that the state was read with; `nil` while the file does not exist.
    var current: Data?
    /// The current generation; `nil` if it has an older format or does not exist.
    var generation: Generation?
    /// The number of the current generation, of whatever format; 0 if there is none.
    var number = 0
    /// The number of bytes of the journal that the state contains.
    var journalLength = 0
    /// The minimum length of the journal according to ``CommitMark``; `nil` if the mark is missing.
    var committedLength: Int?
    /// The files of another program that the state was read from; `nil` if Roost wrote the store.
    var foreignFiles: [ForeignFolder.Signature]?
    var isClosed = false
    /// The length of the journal below which a failed fold is not repeated.
    var minimumFoldLength = 0

    /// Returns whether a process of an older version has written to a store of an older format since it was
    /// read.
    func isOutdatedOldFormat(in folder: StoreFolder) -> Bool {
        guard current != nil, generation == nil else { return false }
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.journal(number).path)
        return attributes?[.size] as? Int ?? 0 != journalLength
    }
}
