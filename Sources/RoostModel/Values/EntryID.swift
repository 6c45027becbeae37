import Crypto
public import Foundation

/// Ids and keys of ingested entries, which are the same every time the same source is ingested.
public enum EntryID {
    /// The key of an entry whose content is a whole file.
    public static let wholeFileKey = "file"

    /// Returns the id of the entry with a key in a source.
    ///
    /// The id is a UUID of version 8 (RFC 9562) with the first bits of a SHA-256 digest. The digest is of
    /// source and key in UTF-8, each preceded by its length as a 64-bit big-endian integer.
    public static func derived(source: String, key: String) -> UUID {
        var hash = SHA256()
        for text in [source, key] {
            let bytes = Array(text.utf8)
            withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: bytes)
        }
        var bytes = Array(hash.finalize().prefix(16))
        bytes[6] = (bytes[6] & 0x0F) | 0x80
        bytes[8] = (bytes[8] & 0x3F) | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Returns the key of a text without an id: a part of its digest, and its number among the equal texts
    /// of the source.
    ///
    /// - Parameters:
    ///   - digest: The digest of the text.
    ///   - occurrence: The number of equal texts before it in the source.
    public static func contentKey(_ digest: ContentDigest, occurrence: Int) -> String {
        "sha256:\(digest.hexadecimal.prefix(32)):\(occurrence)"
    }
}

/// The SHA-256 digest of the UTF-8 bytes of a text. Equal digests mean that an embedding can be reused.
public struct ContentDigest: Sendable, Hashable {
    // Stored inline instead of in an array, because a store has one digest per entry in memory.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0

    /// Creates the digest of a text.
    public init(of text: String) {
        self.init(bytes: Array(SHA256.hash(data: Array(text.utf8))))
    }

    /// Creates a digest from its bytes.
    ///
    /// - Precondition: `bytes` has 32 elements.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 32, "a SHA-256 digest has 32 bytes, not \(bytes.count)")
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }

    /// The 32 bytes of the digest.
    public var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    /// The digest as 64 lower-case hexadecimal digits.
    public var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension UUID {
    /// The UUID in lower case, the form in which Roost displays and exports ids.
    public var text: String { uuidString.lowercased() }
}
