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
