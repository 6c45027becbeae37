import Foundation
import RoostFiles

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
