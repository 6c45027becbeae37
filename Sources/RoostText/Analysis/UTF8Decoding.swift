enum UTF8Decoding {
    /// Returns the character at an offset, and its length in bytes. Invalid bytes yield other characters.
    @inline(__always)
    static func scalar(
        _ utf8: UnsafeBufferPointer<UInt8>, _ offset: Int
    ) -> (scalar: Unicode.Scalar, width: Int) {
        let first = UInt32(utf8[offset])
        func rest(_ index: Int) -> UInt32 {
            offset + index < utf8.count ? UInt32(utf8[offset + index]) & 0x3F : 0
        }
        let value: UInt32
        let width: Int
        switch first {
        case ..<0x80: (value, width) = (first, 1)
        case ..<0xE0: (value, width) = ((first & 0x1F) << 6 | rest(1), 2)
        case ..<0xF0: (value, width) = ((first & 0x0F) << 12 | rest(1) << 6 | rest(2), 3)
        default: (value, width) = ((first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4)
        }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", min(width, utf8.count - offset))
    }
}
