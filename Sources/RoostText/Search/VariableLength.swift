/// Unsigned integers in LEB128: seven bits in each byte, the lowest first; the eighth bit is set if another
/// byte follows.
package enum VariableLength {
    @inline(__always)
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
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
    package static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> UInt64? {
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

/// Writes numbers in LEB128, texts as their length and UTF-8, and ranges in order.
package struct CompactWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ number: Int) { VariableLength.append(UInt64(clamping: number), to: &bytes) }

    package mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes += text.utf8
    }

    package mutating func write(optional text: String?) {
        write(text == nil ? 0 : 1)
        if let text { write(text) }
    }

    /// Writes a range that does not begin before the end of the last one.
    package mutating func write(_ range: Range<Int>, after end: inout Int) {
        write(range.lowerBound - end)
        write(range.count)
        end = range.upperBound
    }
}

package struct CompactReader {
    package struct Damage: Error {
        package init() {}
    }

    private let bytes: [UInt8]
    private var offset = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isAtEnd: Bool { offset == bytes.count }

    /// Reads a number below 2^31, which no length or count of a text exceeds.
    package mutating func number() throws(Damage) -> Int {
        var next = offset
        let value = bytes.withUnsafeBufferPointer { VariableLength.read($0, &next) }
        guard let value, value <= Int32.max else { throw Damage() }
        offset = next
        return Int(value)
    }

    package mutating func text() throws(Damage) -> String {
        let count = try number()
        guard count <= bytes.count - offset,
            let text = String(validating: bytes[offset..<offset + count], as: UTF8.self)
        else { throw Damage() }
        offset += count
        return text
    }

    package mutating func optionalText() throws(Damage) -> String? { try number() == 0 ? nil : text() }

    package mutating func range(after end: inout Int) throws(Damage) -> Range<Int> {
        let start = end + (try number())
        end = start + (try number())
        return start..<end
    }

    package mutating func element<Element>(of elements: [Element]) throws(Damage) -> Element {
        let index = try number()
        guard elements.indices.contains(index) else { throw Damage() }
        return elements[index]
    }
}
