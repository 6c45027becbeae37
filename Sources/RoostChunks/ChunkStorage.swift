public import Foundation
import RoostFiles
import RoostModel

/// Stores chunks. A chunk is a sequence of bytes with an identifier.
///
/// Implementations can be called from any number of tasks at the same time. `ChunkStorageLaw` in
/// `RoostTestKit` tests them.
public protocol ChunkStorage: Sendable {
    /// Writes a chunk. A chunk with the same identifier is replaced.
    ///
    /// - **Atomicity**: Readers see either the old chunk or the new one, never a part of it.
    /// - **Idempotence**: Writing the same chunk again has no visible effect.
    /// - Parameters:
    ///   - data: The bytes of the chunk.
    ///   - identifier: The name of the chunk. An empty one is rejected, and so are those that the storage
    ///     cannot distinguish from all others.
    ///   - metadata: Information to store with the chunk. Some storages do not keep it.
    /// - Throws: ``ChunkStorageError``. In that case, the previous chunk is unchanged.
    func writeChunk(_ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?) async throws

    /// Returns the bytes of a chunk, or `nil` if the chunk does not exist.
    ///
    /// - Throws: ``ChunkStorageError`` if the storage cannot be read or the chunk is corrupt.
    func readChunk(_ identifier: ChunkIdentifier) async throws -> Data?

    /// Returns whether a chunk exists.
    ///
    /// - Throws: ``ChunkStorageError`` if the storage cannot be read.
    func chunkExists(_ identifier: ChunkIdentifier) async throws -> Bool

    /// Deletes a chunk. Deleting a chunk that does not exist is not an error.
    ///
    /// - Throws: ``ChunkStorageError``. In that case, the chunk may still exist.
    func deleteChunk(_ identifier: ChunkIdentifier) async throws

    /// Returns the metadata that was written with a chunk.
    ///
    /// The default implementation, which is intended for storages that keep no metadata, returns `nil`.
    ///
    /// - Returns: `nil` if the chunk does not exist or was written without metadata.
    /// - Throws: ``ChunkStorageError`` if the storage cannot be read or the metadata is corrupt.
    func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata?
}

extension ChunkStorage {
    public func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata? { nil }
}

/// The name of a chunk: usually the digest of its bytes, but any non-empty text is allowed.
///
/// Two identifiers are equal if their UTF-8 bytes are equal. Unlike with `String`, two texts that are equal
/// only after Unicode normalization are different identifiers.
public struct ChunkIdentifier: Sendable, Hashable, CustomStringConvertible {
    private let name: ExactText

    /// The text of the identifier.
    public var id: String { name.text }

    /// Creates an identifier from a name that the caller chose. Every storage rejects an empty name.
    public init(id: String) { name = ExactText(id) }

    /// Creates the identifier of content-addressed bytes: their SHA-256 digest in lower-case hexadecimal.
    public init(hashing data: Data) { self.init(id: SHA256.hexadecimal(data)) }

    public var description: String { id }
}

/// An identifier is encoded as a string.
extension ChunkIdentifier: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(id: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}

/// Information about a chunk that is stored in addition to its bytes.
public struct ChunkMetadata: Sendable, Hashable, Codable {
    /// The number of bytes of the chunk, before compression and encryption.
    public var size: Int
    /// The media type of the bytes (RFC 6838), such as `text/plain`.
    public var contentType: String?
    /// The time at which the chunk was first written.
    public var created: Date?
    /// Further values that the writer wants to read back.
    public var custom: [String: String]

    /// Creates metadata.
    public init(
        size: Int, contentType: String? = nil, created: Date? = nil, custom: [String: String] = [:]
    ) {
        (self.size, self.contentType) = (size, contentType)
        (self.created, self.custom) = (created, custom)
    }
}

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
        case .invalidPath(let path): "invalid chunk path '\(path.prefix(100))'"
        case .invalidIdentifier(let id):
            "invalid chunk identifier '\(id.prefix(100))': this storage has no valid path for it"
        case .storageUnavailable(let reason): "chunk storage unavailable: \(reason)"
        case .storageFull(let reason): "chunk storage full: \(reason)"
        case .corrupt(let path, let reason): "chunk '\(path.prefix(100))' is corrupt: \(reason)"
        case .wrongKey: "cannot decrypt the chunks: wrong key or passphrase"
        case .tooLarge(let path, let limit):
            "chunk '\(path.prefix(100))' is larger than the limit of \(limit) bytes"
        case .unsupported(let operation): "the chunk storage cannot \(operation)"
        case .readOnly: "cannot change the chunk storage: it is read-only"
        }
    }

    public var errorDescription: String? { description }
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

/// An existence check that is faster than reading chunks.
public protocol ChunkStorageExistence: Sendable {
    /// Returns whether a chunk exists. If the storage cannot be read, the result is `false`.
    func chunkExists(identifier: ChunkIdentifier) async -> Bool

    /// Returns, for each identifier, whether the chunk exists, in one pass. For chunks that cannot be checked
    /// because the storage cannot be read, the result is `false`.
    func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool]

    /// Returns whether a chunk exists.
    ///
    /// The default implementation calls ``chunkExists(identifier:)`` and therefore cannot distinguish a
    /// missing chunk from a storage that cannot be read. Implement this method if the backend can distinguish
    /// them.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementation, if the storage cannot be read.
    func presence(of identifier: ChunkIdentifier) async throws -> Bool
}

extension ChunkStorageExistence {
    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        await chunkExists(identifier: identifier)
    }
}

/// An existence check for chunks that ``FileSystemRetrieval`` wrote below a folder.
public struct FileSystemExistence: ChunkStorageExistence {
    /// The mapping between identifiers and paths with which the chunks were written.
    public let organization: any ChunkStorageOrganization
    /// The folder of the storage.
    public let baseURL: URL

    /// Creates an existence check. The folder need not exist.
    public init(organization: any ChunkStorageOrganization, baseURL: URL) {
        (self.organization, self.baseURL) = (organization, baseURL.standardizedFileURL)
    }

    public func chunkExists(identifier: ChunkIdentifier) async -> Bool {
        (try? await presence(of: identifier)) ?? false
    }

    public func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool] {
        var result: [ChunkIdentifier: Bool] = [:]
        for identifier in identifiers { result[identifier] = await chunkExists(identifier: identifier) }
        return result
    }

    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        let path = organization.storagePath(for: identifier)
        guard !identifier.id.isEmpty, organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        return try await FileSystemRetrieval(baseURL: baseURL).presence(at: path)
    }
}
