package import Foundation

/// Appends values to a byte array in little-endian order.
package struct BinaryWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ value: Float) { write(value.bitPattern) }

    package mutating func write(_ value: UUID) {
        withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    package mutating func write(counted data: some Collection<UInt8>) {
        write(UInt32(data.count))
        bytes.append(contentsOf: data)
    }
}

/// Reads the values that ``BinaryWriter`` wrote. Every length is checked against the remaining bytes.
package struct BinaryReader {
    /// The error thrown when the bytes are truncated or do not have the expected form.
    package struct InvalidData: Error {
        package init() {}
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var remaining: Int { bytes.count - offset }

    package mutating func take(_ count: Int) throws(InvalidData) -> UnsafeRawBufferPointer {
        guard count >= 0, remaining >= count else { throw InvalidData() }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    package mutating func read<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(InvalidData) -> Value {
        Value(littleEndian: try take(MemoryLayout<Value>.size).loadUnaligned(as: Value.self))
    }

    package mutating func float() throws(InvalidData) -> Float { Float(bitPattern: try read()) }

    package mutating func uuid() throws(InvalidData) -> UUID {
        UUID(uuid: try take(16).loadUnaligned(as: uuid_t.self))
    }

    package mutating func counted() throws(InvalidData) -> UnsafeRawBufferPointer {
        try take(Int(try read(UInt32.self)))
    }

    package mutating func string() throws(InvalidData) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else { throw InvalidData() }
        return text
    }

    /// Reads the number of items that follow, and checks that the remaining bytes can hold that many items of
    /// at least `size` bytes each. This prevents a damaged count from causing a huge allocation.
    package mutating func count(ofAtLeast size: Int) throws(InvalidData) -> Int {
        let count = Int(try read(UInt32.self))
        guard count <= remaining / size else { throw InvalidData() }
        return count
    }
}

extension JSONEncoder {
    /// A new encoder that writes equal values in equal bytes.
    package static var canonical: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// Hexadecimal digits: the text of bytes and numbers in files and protocols, and its values.
package enum Hexadecimal {
    package static let digits = Array("0123456789abcdef".utf8)

    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the lower-case digits of a number, with zeros in front if it has fewer than the given count.
    package static func text(_ number: some UnsignedInteger, count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// Returns the bytes with the given text; `nil` unless it is the one that ``text(_:)`` writes.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
        }
        return Self.text(bytes) == text ? bytes : nil
    }
}
