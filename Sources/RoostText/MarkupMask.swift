/// Hides the parts of a visible text that are not language: addresses, HTML tags and entities.
package enum MarkupMask {
    /// The maximum length in bytes of an HTML tag and of the name of an entity.
    private static let (maximumTag, maximumEntity) = (400, 10)

    /// Returns the text with each hidden byte replaced with U+0000, so the offsets of the other bytes do not
    /// change.
    ///
    /// - Parameter utf8: Valid UTF-8.
    /// - Complexity: O(length).
    package static func masked(_ utf8: [UInt8]) -> [UInt8] {
        var result = utf8
        utf8.withUnsafeBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                var offset = 0
                while offset < source.count {
                    guard let range = hiddenRange(source, at: offset) else {
                        offset += 1
                        continue
                    }
                    for index in range { target[index] = 0 }
                    offset = max(offset + 1, range.upperBound)
                }
            }
        }
        return result
    }

    /// Returns the range to hide if the byte at the given offset indicates markup; otherwise `nil`.
    private static func hiddenRange(_ utf8: UnsafeBufferPointer<UInt8>, at offset: Int) -> Range<Int>? {
        switch utf8[offset] {
        case UInt8(ascii: ":"): address(utf8, schemeEnd: offset)
        case UInt8(ascii: "w"), UInt8(ascii: "W"): webAddress(utf8, at: offset)
        case UInt8(ascii: "<"): tag(utf8, at: offset)
        case UInt8(ascii: "&"): entity(utf8, at: offset)
        case UInt8(ascii: "@"): mailAddress(utf8, at: offset)
        default: nil
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    /// Returns the offset of the first byte after an address. This byte is white space or a delimiter.
    private static func addressEnd(_ utf8: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
        let delimiters: StaticString = "\"'<>()[]{}`|\\"
        var end = offset
        while end < utf8.count, utf8[end] > 32 {
            let byte = utf8[end]
            let isDelimiter = delimiters.withUTF8Buffer { $0.contains(byte) }
            if isDelimiter { break }
            end += 1
        }
        return end
    }

    /// Returns the range of an address such as `scheme://…`.
    private static func address(_ utf8: UnsafeBufferPointer<UInt8>, schemeEnd colon: Int) -> Range<Int>? {
        guard colon + 2 < utf8.count, utf8[colon + 1] == UInt8(ascii: "/"),
            utf8[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        var start = colon
        while start > 0, isLetterOrDigit(utf8[start - 1]) { start -= 1 }
        return start < colon ? start..<addressEnd(utf8, from: colon) : nil
    }

    /// Returns the range of an address such as `www.…`.
    private static func webAddress(_ utf8: UnsafeBufferPointer<UInt8>, at offset: Int) -> Range<Int>? {
        guard offset + 4 < utf8.count, utf8[offset + 3] == UInt8(ascii: "."),
            utf8[offset + 1] | 0x20 == UInt8(ascii: "w"), utf8[offset + 2] | 0x20 == UInt8(ascii: "w"),
            offset == 0 || !isLetterOrDigit(utf8[offset - 1])
        else { return nil }
        return offset..<addressEnd(utf8, from: offset)
    }

    /// Returns the range of an address such as `name@host.domain`.
    private static func mailAddress(_ utf8: UnsafeBufferPointer<UInt8>, at offset: Int) -> Range<Int>? {
        func belongs(_ byte: UInt8) -> Bool {
            isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "+")
        }
        var (start, end) = (offset, offset + 1)
        while start > 0, belongs(utf8[start - 1]) { start -= 1 }
        while end < utf8.count, belongs(utf8[end]) { end += 1 }
        guard start < offset, utf8[(offset + 1)..<end].dropLast().contains(UInt8(ascii: ".")) else {
            return nil
        }
        return start..<end
    }

    /// Returns the range of an HTML tag such as `<name …>`, `</name>` or `<!-- …`.
    private static func tag(_ utf8: UnsafeBufferPointer<UInt8>, at offset: Int) -> Range<Int>? {
        guard offset + 1 < utf8.count else { return nil }
        let next = utf8[offset + 1]
        guard isLetterOrDigit(next) || next == UInt8(ascii: "/") || next == UInt8(ascii: "!") else {
            return nil
        }
        let limit = min(utf8.count, offset + maximumTag)
        for end in (offset + 1)..<limit where utf8[end] == UInt8(ascii: ">") { return offset..<(end + 1) }
        return nil
    }

    /// Returns the range of an entity such as `&name;` or `&#39;`.
    private static func entity(_ utf8: UnsafeBufferPointer<UInt8>, at offset: Int) -> Range<Int>? {
        var end = offset + 1
        if end < utf8.count, utf8[end] == UInt8(ascii: "#") { end += 1 }
        let start = end
        while end < utf8.count, end - start < maximumEntity, isLetterOrDigit(utf8[end]) { end += 1 }
        guard end > start, end < utf8.count, utf8[end] == UInt8(ascii: ";") else { return nil }
        return offset..<(end + 1)
    }
}
