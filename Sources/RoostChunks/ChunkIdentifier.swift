public import Foundation
import RoostFiles

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
