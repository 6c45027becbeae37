public import Foundation
import RoostFiles

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
    /// The text of the identifier.
    public let id: String

    /// Creates an identifier from a name that the caller chose. Every storage rejects an empty name.
    public init(id: String) { self.id = id }

    /// Creates the identifier of content-addressed bytes: their SHA-256 digest in lower-case hexadecimal.
    public init(hashing data: Data) { id = SHA256.hexadecimal(data) }

    public var description: String { id }

    public static func == (left: ChunkIdentifier, right: ChunkIdentifier) -> Bool {
        left.id.utf8.elementsEqual(right.id.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var text = id
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// An identifier is encoded as a string.
extension ChunkIdentifier: Codable {
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(String.self)
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
    ///
    /// - Parameters:
    ///   - size: The number of bytes of the chunk, before compression and encryption.
    ///   - contentType: The media type of the bytes.
    ///   - created: The time at which the chunk was first written.
    ///   - custom: Further values that the writer wants to read back.
    public init(
        size: Int, contentType: String? = nil, created: Date? = nil, custom: [String: String] = [:]
    ) {
        self.size = size
        self.contentType = contentType
        self.created = created
        self.custom = custom
    }
}
