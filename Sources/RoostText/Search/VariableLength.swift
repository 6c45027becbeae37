/// Unsigned integers in LEB128: seven bits in each byte, the lowest first; the eighth bit is set if another
/// byte follows.
enum VariableLength {
    @inline(__always)
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Reads a number and advances the offset past it.
    ///
    /// - Returns: `nil` if the bytes end before the number does, or the number exceeds 64 bits.
    @inline(__always)
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> UInt64? {
        guard offset < bytes.count else { return nil }
        let first = bytes[offset]
        offset += 1
        if first < 0x80 { return UInt64(first) }
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
