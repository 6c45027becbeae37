public import Foundation
import RoostFiles

/// A decorator that encrypts chunks before another retrieval stores them, with ChaCha20-Poly1305 (RFC 8439)
/// and a random nonce for each write.
///
/// The chunk's path is authenticated together with its bytes, so that one chunk cannot be replaced with
/// another. Metadata is encrypted in the same way, except for the size of the stored bytes. The stored format
/// is:
///
///     magic 4 bytes "RCE1" · nonce 12 bytes · ciphertext · tag 16 bytes
public struct EncryptedRetrieval: ChunkRetrievalDecorator {
    public let wrapped: any ChunkStorageRetrieval
    private let key: EncryptionKey

    private static let magic = Data("RCE1".utf8)
    /// The number of bytes that are stored in addition to those of the chunk: the magic, a nonce and a tag.
    private static let addedSize = 32
    /// The key under which the custom metadata of the stored chunk contains the encrypted metadata.
    private static let sealedMetadataKey = "sealed"

    /// Creates a decorator.
    ///
    /// - Parameters:
    ///   - wrapped: The retrieval that stores the encrypted chunks.
    ///   - key: The key, for example from ``ChunkKey``.
    public init(wrapped: any ChunkStorageRetrieval, key: EncryptionKey) {
        (self.wrapped, self.key) = (wrapped, key)
    }

    /// Returns the decrypted bytes of a chunk, or `nil` if the chunk does not exist.
    ///
    /// - Throws: ``ChunkStorageError/corrupt(path:reason:)`` if the stored bytes were not encrypted with this
    ///   key under this path.
    public func readChunk(at path: String) async throws -> Data? {
        guard let stored = try await wrapped.readChunk(at: path) else { return nil }
        return try await open(stored, path)
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        let stored = try await seal(data, path)
        try await wrapped.writeChunk(stored, at: path, metadata: seal(metadata, stored.count, path))
    }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        guard let text = try await wrapped.metadata(at: path)?.custom[Self.sealedMetadataKey] else {
            return nil
        }
        guard let stored = Data(base64Encoded: text),
            let metadata = try? JSONDecoder().decode(
                ChunkMetadata.self, from: try await open(stored, Self.metadataName(of: path)))
        else { throw ChunkStorageError.corrupt(path: path, reason: "its metadata cannot be decrypted") }
        return metadata
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        let stored = try await seal(data, path)
        return try await wrapped.createChunk(stored, at: path, metadata: seal(metadata, stored.count, path))
    }

    /// Returns all chunks with the sizes of their decrypted bytes. The size is 0 if the stored bytes are too
    /// short to be those of an encrypted chunk.
    public func chunks(in folder: String) async throws -> [ListedChunk] {
        try await wrapped.chunks(in: folder).map { chunk in
            ListedChunk(path: chunk.path, size: chunk.size.map { max(0, $0 - Self.addedSize) })
        }
    }

    @concurrent
    private func seal(_ data: Data, _ path: String) async throws -> Data {
        Self.magic + ChaChaPoly.seal(data, key: key.bytes, authenticating: Data(path.utf8))
    }

    /// The name that is authenticated with the metadata of a chunk, so that it cannot be passed off as the
    /// chunk.
    private static func metadataName(of path: String) -> String { "\(path)\u{0}metadata" }

    private func seal(
        _ metadata: ChunkMetadata?, _ size: Int, _ path: String
    ) async throws -> ChunkMetadata? {
        guard let metadata else { return nil }
        let stored = try await seal(try JSONEncoder().encode(metadata), Self.metadataName(of: path))
        return ChunkMetadata(size: size, custom: [Self.sealedMetadataKey: stored.base64EncodedString()])
    }

    @concurrent
    private func open(_ stored: Data, _ path: String) async throws -> Data {
        guard stored.prefix(4) == Self.magic, stored.count >= Self.addedSize else {
            throw ChunkStorageError.corrupt(
                path: path, reason: "it has no valid header of an encrypted chunk")
        }
        let data = ChaChaPoly.open(stored.dropFirst(4), key: key.bytes, authenticating: Data(path.utf8))
        guard let data else {
            throw ChunkStorageError.corrupt(
                path: path,
                reason: "it cannot be decrypted: it was modified, renamed, or encrypted with another key")
        }
        return data
    }
}

/// A random data key, encrypted under a key that is derived from a passphrase.
///
/// Because the passphrase protects only the data key, it can be changed without encrypting the chunks again.
/// The passphrase key is derived with scrypt (RFC 7914); the data key is encrypted under it with
/// ChaCha20-Poly1305.
public struct ChunkKey: Sendable, Codable {
    /// The parameters of scrypt. The defaults are one of the combinations that OWASP recommends for
    /// passwords: N = 16,384, r = 8, p = 5, which needs 16 MiB of memory.
    private struct Derivation: Sendable, Codable, Hashable {
        var salt: Data
        var rounds = 16_384
        var blockSize = 8
        var parallelism = 5

        /// Whether the parameters are within the limits that this implementation accepts. A manipulated file
        /// could otherwise demand so much memory or time that the reading process fails.
        var isReasonable: Bool {
            (8...64).contains(salt.count) && (1024...16_384).contains(rounds) && rounds.nonzeroBitCount == 1
                && (1...8).contains(blockSize) && (1...64).contains(parallelism)
        }
    }

    private var derivation: Derivation
    private var sealed: Data

    /// Encrypts a data key under a passphrase.
    ///
    /// - Parameters:
    ///   - key: The data key, for ``EncryptedRetrieval``.
    ///   - passphrase: The passphrase. It is normalized (NFKC), so that the same characters typed on another
    ///     system give the same key.
    /// - Returns: The encrypted form, which must be stored next to the chunks.
    /// - Throws: ``ChunkStorageError/unsupported(_:)`` if the passphrase is empty.
    @concurrent
    public static func wrapping(_ key: EncryptionKey, passphrase: String) async throws -> ChunkKey {
        guard !passphrase.isEmpty else {
            throw ChunkStorageError.unsupported("use an empty passphrase")
        }
        var generator = SystemRandomNumberGenerator()
        let derivation = Derivation(salt: Data((0..<16).map { _ in generator.next() as UInt8 }))
        guard let outer = Self.key(passphrase, derivation) else {
            preconditionFailure("the parameters of new keys are valid")
        }
        return ChunkKey(derivation: derivation, sealed: ChaChaPoly.seal(Data(key.bytes), key: outer))
    }

    /// Returns the decrypted data key.
    ///
    /// - Parameter passphrase: The passphrase under which the key was encrypted.
    /// - Throws: ``ChunkStorageError/wrongKey`` if the passphrase is wrong;
    ///   ``ChunkStorageError/corrupt(path:reason:)`` if the stored parameters are invalid.
    @concurrent
    public func unwrap(passphrase: String) async throws -> EncryptionKey {
        guard derivation.isReasonable, let outer = Self.key(passphrase, derivation) else {
            throw ChunkStorageError.corrupt(path: "key", reason: "the parameters of the key are invalid")
        }
        guard let bytes = ChaChaPoly.open(sealed, key: outer), bytes.count == EncryptionKey.size else {
            throw ChunkStorageError.wrongKey
        }
        return EncryptionKey(bytes: Array(bytes))
    }

    private static func key(_ passphrase: String, _ derivation: Derivation) -> [UInt8]? {
        Scrypt.key(
            from: passphrase.precomposedStringWithCompatibilityMapping, salt: derivation.salt,
            rounds: derivation.rounds, blockSize: derivation.blockSize, parallelism: derivation.parallelism)
    }
}

/// A key of 256 bits, with which ``EncryptedRetrieval`` encrypts chunks.
public struct EncryptionKey: Sendable {
    /// The number of bytes of a key.
    public static let size = 32
    package let bytes: [UInt8]

    /// Creates a random key.
    public init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Self.size).map { _ in generator.next() }
    }

    /// Creates a key from its bytes.
    ///
    /// - Precondition: There are ``size`` bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == Self.size, "a key has \(Self.size) bytes, not \(bytes.count)")
        self.bytes = bytes
    }
}
