public import Crypto
import CryptoExtras
import Foundation

/// A random key, wrapped by one that is derived from a passphrase: so that the passphrase can change without
/// anything being encrypted anew.
///
/// The passphrase's key comes from scrypt (RFC 7914) with the stated parameters; the data key is sealed under
/// it with ChaCha20-Poly1305.
public struct ChunkKey: Sendable, Codable {
    /// The parameters of scrypt: 16 MiB of memory for r = 8 and N = 16,384, five times over.
    private struct Derivation: Sendable, Codable, Hashable {
        var salt: Data
        var rounds = 16_384
        var blockSize = 8
        var parallelism = 5

        /// What a file may ask for: more would be a way to make whoever opens it run out of memory.
        var isReasonable: Bool {
            (8...64).contains(salt.count) && (1024...16_384).contains(rounds) && rounds.nonzeroBitCount == 1
                && (1...8).contains(blockSize) && (1...64).contains(parallelism)
        }
    }

    private var derivation: Derivation
    private var sealed: Data

    /// Makes a key and wraps it.
    ///
    /// - Returns: the key, and what is to be stored beside the chunks.
    /// - Throws: ``ChunkStorageError/unsupported(_:)`` for an empty passphrase.
    @concurrent
    public static func make(passphrase: String) async throws -> (key: SymmetricKey, wrapped: ChunkKey) {
        let key = SymmetricKey(size: .bits256)
        return (key, try wrap(key, passphrase))
    }

    /// The key.
    ///
    /// - Throws: ``ChunkStorageError/wrongKey`` for another passphrase;
    ///   ``ChunkStorageError/corrupt(path:reason:)`` where the parameters are none.
    @concurrent
    public func unwrap(passphrase: String) async throws -> SymmetricKey {
        guard derivation.isReasonable, let box = try? ChaChaPoly.SealedBox(combined: sealed) else {
            throw ChunkStorageError.corrupt(path: "key", reason: "its parameters are not those of a key")
        }
        let outer = try Self.derive(passphrase, derivation)
        guard let bytes = try? ChaChaPoly.open(box, using: outer), bytes.count == 32 else {
            throw ChunkStorageError.wrongKey
        }
        return SymmetricKey(data: bytes)
    }

    /// The same key under another passphrase.
    @concurrent
    public static func rewrap(_ key: SymmetricKey, passphrase: String) async throws -> ChunkKey {
        try wrap(key, passphrase)
    }

    private static func wrap(_ key: SymmetricKey, _ passphrase: String) throws -> ChunkKey {
        guard !passphrase.isEmpty else {
            throw ChunkStorageError.unsupported("take an empty passphrase")
        }
        var generator = SystemRandomNumberGenerator()
        let derivation = Derivation(salt: Data((0..<16).map { _ in generator.next() as UInt8 }))
        let outer = try derive(passphrase, derivation)
        let sealed = try key.withUnsafeBytes { try ChaChaPoly.seal(Data($0), using: outer).combined }
        return ChunkKey(derivation: derivation, sealed: sealed)
    }

    private static func derive(_ passphrase: String, _ derivation: Derivation) throws -> SymmetricKey {
        // The same letters typed on another system are the same passphrase.
        let normalized = passphrase.precomposedStringWithCompatibilityMapping
        return try KDF.Scrypt.deriveKey(
            from: Data(normalized.utf8), salt: derivation.salt, outputByteCount: 32,
            rounds: derivation.rounds, blockSize: derivation.blockSize, parallelism: derivation.parallelism)
    }

    private init(derivation: Derivation, sealed: Data) {
        (self.derivation, self.sealed) = (derivation, sealed)
    }
}
