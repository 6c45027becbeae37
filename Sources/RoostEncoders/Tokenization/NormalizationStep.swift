/// A step of the normalization that a `tokenizer.json` describes.
enum NormalizationStep: Sendable {
    case map(CharacterMap)
    /// Replaces all occurrences of a text, which is not empty.
    case replace([UInt8], with: [UInt8])
    /// Replaces each sequence of at least two spaces with another text.
    case replaceSpaces(with: [UInt8])
    /// Replaces each sequence of white space with another text.
    case replaceWhitespace(with: [UInt8])
    case strip(left: Bool, right: Bool)
    case lowercase

    func apply(to text: AlignedText) -> AlignedText {
        switch self {
        case .map(let map): map.apply(to: text)
        case .replace(let pattern, let new):
            Self.replacing(text, with: new) { text.has(pattern, at: $0) ? pattern.count : 0 }
        case .replaceSpaces(let new):
            Self.replacing(text, with: new) { offset in
                let end = text.bytes[offset...].firstIndex { $0 != UInt8(ascii: " ") } ?? text.count
                return end - offset >= 2 ? end - offset : 0
            }
        case .replaceWhitespace(let new):
            Self.replacing(text, with: new) { offset in
                var end = offset
                while end < text.count, case let length = text.lengthOfSpace(at: end), length > 0 {
                    end += length
                }
                return end - offset
            }
        case .strip(let left, let right): Self.stripped(text, left: left, right: right)
        case .lowercase: Self.lowercased(text)
        }
    }

    private static func replacing(_ text: AlignedText, with new: [UInt8], _ length: (Int) -> Int)
        -> AlignedText
    {
        var result = AlignedText(capacity: text.count)
        var (offset, kept) = (0, 0)
        while offset < text.count {
            let count = length(offset)
            guard count > 0 else {
                offset += 1
                continue
            }
            result.append(text, kept..<offset)
            result.append(new, from: text.origin(of: offset..<offset + count))
            offset += count
            kept = offset
        }
        result.append(text, kept..<text.count)
        return result
    }

    private static func stripped(_ text: AlignedText, left: Bool, right: Bool) -> AlignedText {
        var (start, end) = (0, text.count)
        text.bytes.withUnsafeBufferPointer { bytes in
            while left, start < end, case let length = WhiteSpace.length(at: start, in: bytes), length > 0 {
                start += length
            }
            while right, start < end, case let length = WhiteSpace.length(before: end, in: bytes), length > 0
            {
                end -= length
            }
        }
        var result = AlignedText(capacity: end - start)
        result.append(text, start..<end)
        return result
    }

    private static func lowercased(_ text: AlignedText) -> AlignedText {
        var result = AlignedText(capacity: text.count)
        var offset = 0
        for scalar in String(decoding: text.bytes, as: UTF8.self).unicodeScalars {
            let end = offset + UTF8.width(scalar)
            result.append(scalar.properties.lowercaseMapping.utf8, from: text.origin(of: offset..<end))
            offset = end
        }
        return result
    }
}

/// A text in UTF-8 while it is normalized, with the range of the original text from which each byte comes.
struct AlignedText: Sendable {
    private(set) var bytes: [UInt8] = []
    /// For each byte, the first offset of the original range.
    private(set) var starts: [Int32] = []
    /// For each byte, the offset after the original range.
    private(set) var ends: [Int32] = []

    /// Creates a text that has not been normalized.
    init(_ utf8: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        bytes = Array(utf8[range])
        starts = range.map { Int32($0) }
        ends = range.map { Int32($0) + 1 }
    }

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
        starts.reserveCapacity(capacity)
        ends.reserveCapacity(capacity)
    }

    var count: Int { bytes.count }

    /// Adds bytes that come from the same range of the original text.
    mutating func append(_ new: some Collection<UInt8>, from range: Range<Int>) {
        for byte in new {
            bytes.append(byte)
            starts.append(Int32(range.lowerBound))
            ends.append(Int32(range.upperBound))
        }
    }

    mutating func append(_ other: AlignedText, _ range: Range<Int>) {
        bytes += other.bytes[range]
        starts += other.starts[range]
        ends += other.ends[range]
    }

    /// Returns the range of the original text from which some bytes come. The range is empty if there are no
    /// bytes.
    func origin(of range: Range<Int>) -> Range<Int> {
        guard let last = range.last else {
            let offset = Int(range.lowerBound < starts.count ? starts[range.lowerBound] : ends.last ?? 0)
            return offset..<offset
        }
        let start = Int(starts[range.lowerBound])
        return start..<max(start, Int(ends[last]))
    }

    func has(_ pattern: [UInt8], at offset: Int) -> Bool {
        guard offset + pattern.count <= bytes.count else { return false }
        for index in pattern.indices where bytes[offset + index] != pattern[index] { return false }
        return true
    }

    func lengthOfSpace(at offset: Int) -> Int {
        bytes.withUnsafeBufferPointer { WhiteSpace.length(at: offset, in: $0) }
    }
}

/// White space (Unicode's property `White_Space`) in UTF-8.
enum WhiteSpace {
    /// Returns the length in bytes of the white space at an offset; 0 for another character.
    static func length(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let lead = bytes[offset]
        if lead < 0x80 { return lead == 32 || 9...13 ~= lead ? 1 : 0 }
        // All other white space is U+0085, U+00A0, or consists of three bytes that begin with E1, E2 or E3.
        let length = lead == 0xC2 ? 2 : 0xE1...0xE3 ~= lead ? 3 : 0
        guard length > 0, offset + length <= bytes.count else { return 0 }
        let text = String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        return text.unicodeScalars.first?.properties.isWhitespace == true ? length : 0
    }

    /// Returns the length in bytes of the white space that ends at an offset; 0 for another character.
    static func length(before end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard end > 0 else { return 0 }
        var start = end - 1
        while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return start + length(at: start, in: bytes) == end ? end - start : 0
    }
}
