import Foundation

/// The table by which SentencePiece normalizes characters (Kudo & Richardson 2018): `precompiled_charsmap`.
///
/// The file has the size of a double array in bytes as 32 bits, the double array (Aoe 1989) in the layout of
/// Darts-clone, and the replacements, each with a byte 0 at its end. All numbers are little-endian. The table
/// comes from a file, so no number in it is trusted.
struct CharacterMap: Sendable {
    private let units: [UInt32]
    private let replacements: [UInt8]
    /// The replacement of each ASCII character; `nil` for characters that are not replaced.
    private let ascii: [Range<Int>?]

    /// Creates a table.
    ///
    /// - Returns: `nil` if the bytes are too short for the stated size, or the replacements are not UTF-8.
    init?(_ data: Data) {
        let bytes = Array(data)
        func number(_ offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
        }
        guard bytes.count >= 4 else { return nil }
        let size = Int(number(0))
        guard size % 4 == 0, size <= bytes.count - 4 else { return nil }
        let units = (0..<size / 4).map { number(4 + 4 * $0) }
        let replacements = Array(bytes[(4 + size)...])
        guard String(validating: replacements, as: UTF8.self) != nil else { return nil }
        ascii = (0..<128).map { Self.replacement(of: CollectionOfOne(UInt8($0)), units, replacements) }
        (self.units, self.replacements) = (units, replacements)
    }

    /// Returns the text with all characters replaced.
    ///
    /// Like Hugging Face's tokenizers, looks up grapheme clusters of up to five bytes first, and otherwise
    /// each of their characters.
    func apply(to text: AlignedText) -> AlignedText {
        var copy = Copy(text: text, result: AlignedText(capacity: text.count))
        let bytes = text.bytes
        let string = String(decoding: bytes, as: UTF8.self)
        var index = string.startIndex
        var indexOffset = 0
        var offset = 0
        while offset < bytes.count {
            let next = offset + 1 < bytes.count ? bytes[offset + 1] : 0
            // Two ASCII characters form one cluster only as a line end.
            if bytes[offset] < 0x80, next < 0x80, bytes[offset] != 13 || next != 10 {
                if let new = ascii[Int(bytes[offset])] {
                    copy.replace(offset..<offset + 1, with: replacements[new])
                }
                offset += 1
                continue
            }
            if indexOffset != offset { index = string.utf8.index(string.startIndex, offsetBy: offset) }
            let end = string.index(after: index)
            indexOffset = offset + string.utf8.distance(from: index, to: end)
            index = end
            replaceCluster(offset..<indexOffset, in: &copy)
            offset = indexOffset
        }
        copy.keep(upTo: bytes.count)
        return copy.result
    }

    private struct Copy {
        let text: AlignedText
        var result: AlignedText
        var copied = 0

        mutating func keep(upTo offset: Int) {
            if copied < offset { result.append(text, copied..<offset) }
            copied = offset
        }

        mutating func replace(_ range: Range<Int>, with new: ArraySlice<UInt8>) {
            keep(upTo: range.lowerBound)
            result.append(new, from: text.origin(of: range))
            copied = range.upperBound
        }
    }

    private static let maximumClusterLength = 5

    private func replaceCluster(_ cluster: Range<Int>, in copy: inout Copy) {
        let bytes = copy.text.bytes
        if cluster.count <= Self.maximumClusterLength,
            let new = Self.replacement(of: bytes[cluster], units, replacements)
        {
            copy.replace(cluster, with: replacements[new])
            return
        }
        var start = cluster.lowerBound
        while start < cluster.upperBound {
            var end = start + 1
            while end < cluster.upperBound, bytes[end] & 0xC0 == 0x80 { end += 1 }
            if let new = Self.replacement(of: bytes[start..<end], units, replacements) {
                copy.replace(start..<end, with: replacements[new])
            }
            start = end
        }
    }

    /// Returns the replacement of the shortest prefix in the table, which replaces all the bytes, as in
    /// Hugging Face's tokenizers.
    private static func replacement(
        of bytes: some Sequence<UInt8>, _ units: [UInt32], _ replacements: [UInt8]
    ) -> Range<Int>? {
        guard let root = units.first else { return nil }
        var node = offset(root)
        for byte in bytes {
            guard byte != 0 else { return nil }
            node ^= Int(byte)
            guard node < units.count else { return nil }
            let unit = units[node]
            guard unit & 0x8000_00FF == UInt32(byte) else { return nil }
            node ^= offset(unit)
            guard unit & 0x100 != 0 else { continue }
            guard node < units.count else { return nil }
            let start = Int(units[node] & 0x7FFF_FFFF)
            // A replacement begins at a character, so that the text remains valid UTF-8.
            guard start < replacements.count, replacements[start] & 0xC0 != 0x80 else { return nil }
            return start..<(replacements[start...].firstIndex(of: 0) ?? replacements.count)
        }
        return nil
    }

    private static func offset(_ unit: UInt32) -> Int { Int(unit >> 10) << Int((unit & 0x200) >> 6) }
}
