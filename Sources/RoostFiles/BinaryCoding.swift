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

    /// Appends the number of bytes as a `UInt32`, then the bytes.
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

    /// Reads a `UInt32` count, and then that many bytes.
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
