/// Tests of Unicode characters in UTF-8 bytes.
enum UnicodeScan {
    /// Returns the end of the characters from an offset that a tag can contain.
    ///
    /// Tags contain no white space, no ASCII punctuation except `-`, `_` and `/`, and no character of the
    /// blocks General Punctuation and Supplemental Punctuation. These are the rules of Obsidian.
    static func tagEnd(_ bytes: [UInt8], from start: Int, to limit: Int) -> Int {
        var index = start
        while index < limit {
            let byte = bytes[index]
            if byte < 0x80 {
                let isAllowed =
                    byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "/")
                if !isAllowed { return index }
                index += 1
                continue
            }
            let (scalar, length) = self.scalar(bytes, at: index)
            switch scalar {
            case 0x80...0x9F, 0xA0, 0x1680, 0x2000...0x206F, 0x2E00...0x2E7F, 0x3000, 0xFEFF: return index
            default: index += length
            }
        }
        return min(index, limit)
    }

    static func isSpace(_ bytes: [UInt8], before offset: Int) -> Bool {
        var start = offset - 1
        while start > 0, offset - start < 4, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        guard start >= 0, bytes[start] >= 0x80 else { return false }
        let scalar = self.scalar(bytes, at: start).value
        return switch scalar {
        case 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: true
        default: false
        }
    }

    /// Returns the scalar at an offset of valid UTF-8, and its length in bytes.
    static func scalar(_ bytes: [UInt8], at offset: Int) -> (value: UInt32, length: Int) {
        let first = bytes[offset]
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard offset + length <= bytes.count else { return (UInt32(first), 1) }
        var value = length == 1 ? UInt32(first) : UInt32(first & (0x7F >> UInt8(length)))
        for index in (offset + 1)..<max(offset + 1, offset + length) {
            value = value << 6 | UInt32(bytes[index] & 0x3F)
        }
        return (value, length)
    }
}
