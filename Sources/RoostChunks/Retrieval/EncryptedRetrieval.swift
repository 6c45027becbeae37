public import Crypto
public import Foundation

/// Encrypts what another retrieval keeps, with ChaCha20-Poly1305 (RFC 8439) and a random nonce for each
/// write.
///
/// The chunk's name is bound to its bytes, so that one chunk cannot be put in the place of another; where it
/// lies is not, so that chunks can be moved to another organization. Metadata are encrypted likewise, but for
/// the size of the stored bytes. What is stored:
///
///     magic 4 bytes "RCE1" · nonce 12 bytes · ciphertext · tag 16 bytes
public struct EncryptedRetrieval: ChunkStorageRetrieval {
    private let wrapped: any ChunkStorageRetrieval
    private let key: SymmetricKey
    private let organization: (any ChunkStorageOrganization)?

    private static let magic = Data("RCE1".utf8)
    /// Under which the sealed metadata of a chunk are kept.
    private static let sealed = "sealed"

    /// - Parameters:
    ///   - wrapped: keeps the encrypted chunks.
    ///   - key: 256 bits.
    ///   - organization: finds the identifiers in the paths; `nil` takes the last part of a path, which is
    ///     what the organizations of this package end in.
    /// - Precondition: the key has 256 bits.
    public init(
        wrapped: any ChunkStorageRetrieval, key: SymmetricKey,
        organization: (any ChunkStorageOrganization)? = nil
    ) {
        precondition(key.bitCount == 256, "a key of 256 bits")
        (self.wrapped, self.key, self.organization) = (wrapped, key, organization)
    }

    /// - Throws: ``ChunkStorageError/corrupt(path:reason:)`` for bytes that this key did not encrypt under
    ///   this name.
    public func readChunk(at path: String) async throws -> Data? {
        guard let stored = try await wrapped.readChunk(at: path) else { return nil }
        return try await open(stored, path, "chunk")
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        let stored = try await seal(data, path, "chunk")
        try await wrapped.writeChunk(stored, at: path, metadata: seal(metadata, stored.count, path))
    }

    public func chunkExists(at path: String) async -> Bool { await wrapped.chunkExists(at: path) }

    public func deleteChunk(at path: String) async throws { try await wrapped.deleteChunk(at: path) }

    public func presence(at path: String) async throws -> Bool { try await wrapped.presence(at: path) }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        guard let text = try await wrapped.metadata(at: path)?.custom[Self.sealed] else { return nil }
        guard let stored = Data(base64Encoded: text),
            let metadata = try? JSONDecoder().decode(
                ChunkMetadata.self, from: try await open(stored, path, "metadata"))
        else { throw ChunkStorageError.corrupt(path: path, reason: "its metadata cannot be decrypted") }
        return metadata
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        let stored = try await seal(data, path, "chunk")
        return try await wrapped.createChunk(stored, at: path, metadata: seal(metadata, stored.count, path))
    }

    public func paths(in folder: String) async throws -> [String] { try await wrapped.paths(in: folder) }

    public func removeLeftovers(in folder: String) async throws {
        try await wrapped.removeLeftovers(in: folder)
    }

    /// What is bound to the bytes: what they are, and of which chunk.
    private func context(_ path: String, _ what: String) -> Data {
        let name = organization?.identifier(from: path)?.id ?? ChunkName.end(of: path)
        return Data("\(what)\u{0}\(name)".utf8)
    }

    @concurrent
    private func seal(_ data: Data, _ path: String, _ what: String) async throws -> Data {
        Self.magic + (try ChaChaPoly.seal(data, using: key, authenticating: context(path, what))).combined
    }

    private func seal(
        _ metadata: ChunkMetadata?, _ size: Int, _ path: String
    ) async throws -> ChunkMetadata? {
        guard let metadata else { return nil }
        let text = try await seal(try JSONEncoder().encode(metadata), path, "metadata").base64EncodedString()
        return ChunkMetadata(size: size, custom: [Self.sealed: text])
    }

    @concurrent
    private func open(_ stored: Data, _ path: String, _ what: String) async throws -> Data {
        guard stored.prefix(4) == Self.magic,
            let box = try? ChaChaPoly.SealedBox(combined: stored.dropFirst(4))
        else { throw ChunkStorageError.corrupt(path: path, reason: "it was not written encrypted") }
        do {
            return try ChaChaPoly.open(box, using: key, authenticating: context(path, what))
        } catch {
            throw ChunkStorageError.corrupt(
                path: path,
                reason: "it cannot be decrypted: it was changed, moved, or written with another key")
        }
    }
}
