import Crypto
public import Foundation

/// The name of a chunk: mostly the digest of its bytes, but any text that is not empty.
///
/// Two are equal where their bytes are: texts that only normalise alike are different names.
public struct ChunkIdentifier: Sendable, Hashable, CustomStringConvertible {
    public let id: String

    /// A name of the caller's. An empty one is refused by every storage.
    public init(id: String) { self.id = id }

    /// The SHA-256 of some bytes, in lower-case hexadecimal.
    public init(hashing data: Data) { id = Hexadecimal.text(SHA256.hash(data: data)) }

    public var description: String { id }

    public static func == (left: ChunkIdentifier, right: ChunkIdentifier) -> Bool {
        left.id.utf8.elementsEqual(right.id.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var text = id
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// As JSON, a string.
extension ChunkIdentifier: Codable {
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}

package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
