import Foundation
import RoostModel

/// A file that a sync has to read, because it is new or may have changed.
struct SyncCandidate: Sendable {
    var file: FolderWalk.File
    var source: Source.ID
    /// The stored record of the source before the sync; `nil` for a new file.
    var record: Source?
    /// Whether the same file was found before under another path, or in another folder.
    var isRepeated = false

    var url: URL { URL(fileURLWithPath: file.path, isDirectory: false) }

    /// Whether the store has no complete record of the file.
    var isNew: Bool { record?.fingerprint.isEmpty ?? true }
}
