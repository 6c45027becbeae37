package import Foundation

/// Appends values as little-endian bytes.
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

    /// Preceded by its length as four bytes.
    package mutating func write(counted data: some Collection<UInt8>) {
        write(UInt32(data.count))
        bytes.append(contentsOf: data)
    }
}

/// Reads what `BinaryWriter` wrote; every length is checked against what there is.
package struct BinaryReader {
    package struct Short: Error {
        package init() {}
    }

    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var remaining: Int { bytes.count - place }

    package mutating func take(_ count: Int) throws(Short) -> UnsafeRawBufferPointer {
        guard count >= 0, remaining >= count else { throw Short() }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    package mutating func read<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) throws(Short)
        -> Value
    {
        Value(littleEndian: try take(MemoryLayout<Value>.size).loadUnaligned(as: Value.self))
    }

    package mutating func float() throws(Short) -> Float { Float(bitPattern: try read()) }

    package mutating func uuid() throws(Short) -> UUID {
        UUID(uuid: try take(16).loadUnaligned(as: uuid_t.self))
    }

    package mutating func counted() throws(Short) -> UnsafeRawBufferPointer {
        try take(Int(try read(UInt32.self)))
    }

    package mutating func string() throws(Short) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else { throw Short() }
        return text
    }

    /// How many items of at least `size` bytes each follow.
    package mutating func count(ofAtLeast size: Int) throws(Short) -> Int {
        let count = Int(try read(UInt32.self))
        guard count <= remaining / size else { throw Short() }
        return count
    }
}
