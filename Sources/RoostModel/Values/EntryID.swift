public import Foundation
import RoostFiles

/// Derives the ids and keys of ingested entries. They are the same each time the same source is ingested.
public enum EntryID {
    /// The key of an entry whose content is a whole file.
    public static let wholeFileKey = "file"
    /// The beginning of the keys that are derived from texts.
    package static let contentKeyPrefix = "sha256:"

    /// Returns the id of the entry with the given source and key.
    ///
    /// The id is a version 8 UUID (RFC 9562) that contains the first bits of a SHA-256 digest. The input of
    /// the digest is the source and the key in UTF-8, each preceded by its length as a 64-bit big-endian
    /// integer.
    public static func derived(source: String, key: String) -> UUID { digest(of: [source, key]) }

    /// Returns another id of the entry with the given source and key, for the case that the derived id
    /// belongs to an entry that has moved to another source.
    package static func derived(source: String, key: String, attempt: Int) -> UUID {
        digest(of: [source, key, String(attempt)])
    }

    private static func digest(of texts: [String]) -> UUID {
        let hash = SHA256()
        for text in texts {
            let bytes = Array(text.utf8)
            withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { hash.update($0) }
            hash.update(bytes)
        }
        var bytes = Array(hash.finalize().prefix(16))
        bytes[6] = (bytes[6] & 0x0F) | 0x80
        bytes[8] = (bytes[8] & 0x3F) | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Returns the key for a text that has no id in its source. It consists of a part of the text's digest
    /// and the number of the text among the equal texts in the source.
    ///
    /// - Parameters:
    ///   - digest: The digest of the text.
    ///   - occurrence: The number of equal texts before it in the source.
    public static func contentKey(_ digest: ContentDigest, occurrence: Int) -> String {
        "\(contentKeyPrefix)\(digest.hexadecimal.prefix(32)):\(occurrence)"
    }

    /// Returns the range of the ids whose text begins with a prefix in lower case; `nil` if no id does.
    package static func range(ofPrefix prefix: String) -> ClosedRange<UUID>? {
        func id(endingWith digit: String) -> UUID? {
            let form = "00000000-0000-0000-0000-000000000000".replacing("0", with: digit)
            return UUID(uuidString: prefix + form.dropFirst(prefix.utf8.count))
        }
        guard let first = id(endingWith: "0"), let last = id(endingWith: "f"), first.text.hasPrefix(prefix)
        else { return nil }
        return first...last
    }
}

/// The SHA-256 digest of the UTF-8 bytes of a text. Texts with the same digest can share an embedding.
public struct ContentDigest: Sendable, Hashable {
    // The digest is stored inline and not in an array, because a store keeps one digest per entry in memory.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0

    /// Creates the digest of a text.
    public init(of text: String) { self.init(bytes: SHA256.hash(Array(text.utf8))) }

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
    public var hexadecimal: String { Hexadecimal.text(bytes) }
}

extension UUID {
    /// The UUID in lower case, the form in which Roost displays and exports ids.
    public var text: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            func append(_ byte: UInt8) { (text[end], end) = (byte, end + 1) }
            withUnsafeBytes(of: uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    if index % 2 == 0, 4...10 ~= index { append(UInt8(ascii: "-")) }
                    append(Hexadecimal.digits[Int(byte >> 4)])
                    append(Hexadecimal.digits[Int(byte & 15)])
                }
            }
            return end
        }
    }
}

/// The stored forms of ids, dates and origins. Conformances that the compiler makes use them, because these methods are more
/// specific than those of the standard library.
extension KeyedEncodingContainer {
    mutating func encode(_ id: UUID, forKey key: Key) throws { try encode(id.text, forKey: key) }
    mutating func encode(_ ids: [UUID], forKey key: Key) throws { try encode(ids.map(\.text), forKey: key) }
    mutating func encodeIfPresent(_ id: UUID?, forKey key: Key) throws {
        try encodeIfPresent(id?.text, forKey: key)
    }
    mutating func encode(_ date: Date, forKey key: Key) throws {
        try encode(DateText.string(from: date), forKey: key)
    }
    /// An empty list is omitted.
    mutating func encode(_ origins: [Cluster.Origin], forKey key: Key) throws {
        try encodeIfPresent(origins.isEmpty ? nil : origins, forKey: key)
    }
}
