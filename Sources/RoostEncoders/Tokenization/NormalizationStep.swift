/// A step of the normalization that a `tokenizer.json` describes.
enum NormalizationStep: Sendable {
    /// Replaces characters by a table.
    case map(CharacterMap)
    /// Replaces all occurrences of a text, which is not empty.
    case replace([UInt8], with: [UInt8])
    /// Replaces each sequence of at least two spaces with another text.
    case replaceSpaces(with: [UInt8])
    /// Replaces each sequence of white space with another text.
    case replaceWhitespace(with: [UInt8])
    /// Removes white space at the ends.
    case strip(left: Bool, right: Bool)
    /// Replaces upper-case letters with lower-case letters.
    case lowercase

    /// Returns the normalized text.
    ///
    /// - Complexity: O(length of text).
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

    /// Replaces ranges of a text.
    ///
    /// - Parameter length: Returns the length of the range to replace at an offset; 0 to keep the byte.
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
