/// White space (Unicode's property `White_Space`) in UTF-8.
enum WhiteSpace {
    /// Returns the length in bytes of the white space at an offset; 0 for another character.
    ///
    /// - Parameter offset: The offset of the first byte of a character.
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
