public import Foundation
import RoostFiles

/// The reason why a chunk could not be written, read or looked up.
///
/// A chunk that does not exist is not an error.
public enum ChunkStorageError: Error, Sendable, Hashable {
    /// The organization never produces this path, or the path would lead out of the storage's folder.
    case invalidPath(String)
    /// No chunk can have this identifier, because it is empty or too long for the storage.
    case invalidIdentifier(String)
    /// The backend, such as a disk or a network service, did not respond or denied access. The same call may
    /// succeed later.
    case storageUnavailable(reason: String)
    /// The storage has no space left.
    case storageFull(reason: String)
    /// The stored bytes differ from the bytes that were written.
    case corrupt(path: String, reason: String)
    /// The stored bytes were encrypted with another key.
    case wrongKey
    /// The chunk exceeds the size limit, in bytes, of this storage.
    case tooLarge(path: String, limit: Int)
    /// An operation that this storage does not support. The associated text completes the sentence "the
    /// chunk storage cannot …".
    case unsupported(String)
    /// The storage is read-only.
    case readOnly
}

extension ChunkStorageError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .invalidPath(let path): "invalid chunk path '\(Self.shown(path))'"
        case .invalidIdentifier(let id):
            "invalid chunk identifier '\(Self.shown(id))': this storage has no valid path for it"
        case .storageUnavailable(let reason): "chunk storage unavailable: \(reason)"
        case .storageFull(let reason): "chunk storage full: \(reason)"
        case .corrupt(let path, let reason): "chunk '\(Self.shown(path))' is corrupt: \(reason)"
        case .wrongKey: "cannot decrypt the chunks: wrong key or passphrase"
        case .tooLarge(let path, let limit):
            "chunk '\(Self.shown(path))' is larger than the limit of \(limit) bytes"
        case .unsupported(let operation): "the chunk storage cannot \(operation)"
        case .readOnly: "cannot change the chunk storage: it is read-only"
        }
    }

    public var errorDescription: String? { description }

    /// Shortens a text that a caller passed, and puts it on one line, for use in a message.
    private static func shown(_ text: String) -> String {
        let maximumLength = 100
        let line = String(
            text.prefix(maximumLength).map { $0.isNewline || $0.asciiValue ?? 32 < 32 ? " " : $0 })
        return text.count > maximumLength ? line + "…" : line
    }
}

extension ChunkStorageError {
    init(_ error: FileError) {
        switch error.errno {
        case ENAMETOOLONG: self = .invalidPath(error.path)
        case ENOSPC, EDQUOT, EFBIG: self = .storageFull(reason: error.description)
        case EROFS: self = .readOnly
        case EACCES, EPERM:
            self = .storageUnavailable(
                reason: "\(error.description); check the owner and permissions of the files")
        default: self = .storageUnavailable(reason: error.description)
        }
    }
}
