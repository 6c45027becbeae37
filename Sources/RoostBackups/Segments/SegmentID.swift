import Crypto
import Foundation
import RoostChunks

/// The name of a segment: SHA-256 of its kind and bytes, keyed (HMAC) where the repository is encrypted, so
/// that the name does not tell the contents.
struct SegmentID: Hashable, Sendable, Comparable, CustomStringConvertible {
    static let size = 32
    /// No segment's: stands where one was that is not needed any more.
    static let none = SegmentID([])
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ bytes: some Sequence<UInt8>) {
        var words = [UInt64](repeating: 0, count: 4)
        for (place, byte) in bytes.prefix(Self.size).enumerated() {
            words[place / 8] |= UInt64(byte) << UInt64(8 * (place % 8))
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    init(reading bytes: UnsafeRawBufferPointer) {
        func word(_ place: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * place, as: UInt64.self))
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// - Returns: `nil` for anything but 64 lower-case hexadecimal digits.
    init?(hexadecimal text: String) {
        let digits = Array("0123456789abcdef".utf8)
        let values = text.utf8.map { digits.firstIndex(of: $0) }
        guard values.count == 2 * Self.size, !values.contains(nil) else { return nil }
        let known = values.compactMap(\.self)
        self.init((0..<Self.size).map { UInt8(known[2 * $0] << 4 | known[2 * $0 + 1]) })
    }

    var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
    }

    var description: String { Hexadecimal.text(bytes) }

    /// As random as any other bits of it.
    var lowBits: UInt64 { words.0 }

    static func == (left: SegmentID, right: SegmentID) -> Bool { left.words == right.words }

    static func < (left: SegmentID, right: SegmentID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension SegmentID: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = SegmentID(hexadecimal: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no name of a segment")
        }
        self = id
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// What the bytes of a segment are. Numbers are in the format on disk.
enum SegmentKind: UInt8, Sendable, CaseIterable {
    /// Ids of a run of entries.
    case ids = 1
    /// Their texts and all else but vectors.
    case entries = 2
    /// Their vectors and those of their passages.
    case vectors = 3
    /// Where a clustering put them.
    case assignments = 4
    /// Clusters.
    case clusters = 5
    /// Source records.
    case sources = 6
    /// A clustering run.
    case run = 7
    /// The segments of some runs of entries.
    case list = 8
    /// A piece of a source document.
    case original = 9
    /// Which pieces the documents of some sources have.
    case originals = 10
}

/// Names segments and objects.
struct SegmentNaming: Sendable {
    /// `nil` for a repository that is not encrypted.
    let key: SymmetricKey?

    func id(of data: Data, _ kind: SegmentKind) -> SegmentID {
        guard let key else {
            var hash = SHA256()
            hash.update(data: [kind.rawValue])
            hash.update(data: data)
            return SegmentID(hash.finalize())
        }
        var code = HMAC<SHA256>(key: key)
        code.update(data: [kind.rawValue])
        code.update(data: data)
        return SegmentID(code.finalize())
    }

    /// The name of an object of the repository.
    func name(of data: Data) -> String {
        guard let key else { return Hexadecimal.text(SHA256.hash(data: data)) }
        return Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: data, using: key))
    }
}
