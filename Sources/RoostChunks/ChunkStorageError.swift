public import Foundation

/// Why a chunk could not be written, read or looked for. A chunk that is not there is no error.
public enum ChunkStorageError: Error, Sendable, Hashable {
    /// A path that is none of the organization's, or would lead out of the storage's folder.
    case invalidPath(String)
    /// An identifier that no chunk can have: the empty one, or one too long for the storage.
    case invalidIdentifier(String)
    /// The storage could not be asked: a disk, a network, a permission. The same call may succeed later.
    case storageUnavailable(reason: String)
    /// There is no room for more.
    case storageFull(reason: String)
    /// What is stored is not what was written.
    case corrupt(path: String, reason: String)
    /// What is stored was encrypted with another key.
    case wrongKey
    /// More bytes than the storage was told to take in.
    case tooLarge(path: String, limit: Int)
    /// Something that this storage cannot do.
    case unsupported(String)
    /// The storage may not be written to.
    case readOnly
}

extension ChunkStorageError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .invalidPath(let path): "'\(Self.shown(path))' is no path of a chunk in this storage"
        case .invalidIdentifier(let id): "'\(Self.shown(id))' cannot be the identifier of a chunk"
        case .storageUnavailable(let reason): "the chunk storage is not available: \(reason)"
        case .storageFull(let reason): "the chunk storage is full: \(reason)"
        case .corrupt(let path, let reason): "the chunk at '\(Self.shown(path))' is damaged: \(reason)"
        case .wrongKey: "the key is not the one that the chunks were encrypted with"
        case .tooLarge(let path, let limit):
            "the chunk at '\(Self.shown(path))' has more than \(limit) bytes"
        case .unsupported(let what): "the chunk storage cannot \(what)"
        case .readOnly: "the chunk storage may only be read"
        }
    }

    public var errorDescription: String? { description }

    /// A caller's text, short and on one line.
    private static func shown(_ text: String) -> String {
        let line = String(text.prefix(100).map { $0.isNewline || $0.asciiValue ?? 32 < 32 ? " " : $0 })
        return text.count > 100 ? line + "…" : line
    }
}
