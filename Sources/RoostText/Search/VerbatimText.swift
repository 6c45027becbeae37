/// A text of several words that is searched for as a whole, without regard to the case of ASCII letters and
/// to the kind and number of white-space characters between words.
struct VerbatimText {
    /// The bytes in lower case, with one space between words.
    private let bytes: [UInt8]

    /// The minimum and maximum length in bytes. A single byte and white space occur everywhere, and a text
    /// that is longer than a sentence is a copy of a document.
    private static let lengths = 3...300
    /// The maximum length in bytes of a text that is searched, which bounds the time for texts that repeat
    /// the beginning of the query.
    private static let maximumSearched = 1 << 20

    /// Returns `nil` if the text does not consist of several words, or is too long.
    init?(_ text: String) {
        let words = text.utf8.split(whereSeparator: Self.isSpace)
        bytes = Array(words.map { $0.map(Self.lowercased) }.joined(separator: [32]))
        guard words.count > 1, Self.lengths.contains(bytes.count) else { return nil }
    }

    /// Returns the ranges of the first word in the occurrences of the text, in ascending order.
    ///
    /// - Complexity: O(length of `utf8` × length of the text), but in most texts O(length of `utf8`).
    func firstWords(in utf8: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        guard utf8.count <= Self.maximumSearched else { return [] }
        let length = bytes.firstIndex(of: 32) ?? bytes.count
        var ranges: [Range<Int>] = []
        var offset = 0
        while offset + bytes.count <= utf8.count {
            if Self.lowercased(utf8[offset]) == bytes[0], offset == 0 || !Self.isWord(utf8[offset - 1]),
                let end = end(from: offset, in: utf8), end == utf8.count || !Self.isWord(utf8[end])
            {
                ranges.append(offset..<(offset + length))
                offset = end
            } else {
                offset += 1
            }
        }
        return ranges
    }

    /// Returns the end of an occurrence that begins at an offset; `nil` if the text does not occur there.
    private func end(from start: Int, in utf8: UnsafeBufferPointer<UInt8>) -> Int? {
        var offset = start
        for byte in bytes {
            guard offset < utf8.count else { return nil }
            if byte == 32 {
                guard Self.isSpace(utf8[offset]) else { return nil }
                while offset < utf8.count, Self.isSpace(utf8[offset]) { offset += 1 }
            } else {
                guard Self.lowercased(utf8[offset]) == byte else { return nil }
                offset += 1
            }
        }
        return offset
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 128 || (97...122).contains(lowercased(byte)) || (48...57).contains(byte)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }
}
