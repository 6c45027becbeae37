import Crypto
public import Foundation

/// How an ingested entry gets an id that is the same at every ingest.
public enum EntryID {
    /// The key of an entry that is a whole file.
    public static let wholeFileKey = "file"

    /// A UUID of version 8 (RFC 9562) from SHA-256 over source and key, each preceded by its length in
    /// bytes as eight bytes, big-endian.
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

    /// The key of a text that has no name of its own: its content's digest and which of the equal texts of
    /// the source it is, from 0.
    public static func contentKey(_ digest: ContentDigest, occurrence: Int) -> String {
        "sha256:\(digest.hexadecimal.prefix(32)):\(occurrence)"
    }
}

/// SHA-256 of a text's UTF-8 bytes: tells whether a text has been embedded before.
public struct ContentDigest: Sendable, Hashable {
    // Held in place: a store has one for each entry.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0

    public init(of text: String) {
        self.init(bytes: Array(SHA256.hash(data: Array(text.utf8))))
    }

    /// - Precondition: 32 bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 32, "a digest of \(bytes.count) bytes")
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }

    /// 32 bytes.
    public var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    /// 64 lower-case digits.
    public var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension UUID {
    /// An id as Roost writes it for people: in lower case.
    public var text: String { uuidString.lowercased() }
}
