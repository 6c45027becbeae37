import Foundation

/// Appends values as little-endian bytes.
struct BinaryWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ value: Float) { write(value.bitPattern) }

    mutating func write(_ value: UUID) { withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) } }

    mutating func write(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    /// Preceded by its length as four bytes.
    mutating func write(counted data: some Collection<UInt8>) {
        write(UInt32(data.count))
        bytes.append(contentsOf: data)
    }
}

/// Reads what `BinaryWriter` wrote; every length is checked against what there is.
struct BinaryReader {
    struct Short: Error {}

    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - place }

    mutating func take(_ count: Int) throws(Short) -> UnsafeRawBufferPointer {
        guard count >= 0, remaining >= count else { throw Short() }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    mutating func read<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) throws(Short) -> Value {
        Value(littleEndian: try take(MemoryLayout<Value>.size).loadUnaligned(as: Value.self))
    }

    mutating func float() throws(Short) -> Float { Float(bitPattern: try read()) }

    mutating func uuid() throws(Short) -> UUID { UUID(uuid: try take(16).loadUnaligned(as: uuid_t.self)) }

    mutating func counted() throws(Short) -> UnsafeRawBufferPointer { try take(Int(try read(UInt32.self))) }

    mutating func string() throws(Short) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else { throw Short() }
        return text
    }

    /// How many items of at least `size` bytes each follow.
    mutating func count(ofAtLeast size: Int) throws(Short) -> Int {
        let count = Int(try read(UInt32.self))
        guard count <= remaining / size else { throw Short() }
        return count
    }
}
