import Foundation

// The binary format of values in the protocol of PostgreSQL. Numbers are in big-endian order.

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    mutating func append(_ id: UUID) {
        Swift.withUnsafeBytes(of: id.uuid) { append(contentsOf: $0) }
    }

    /// Appends a vector in the binary format of pgvector: the dimension and an unused number as 16-bit
    /// integers, and the elements.
    mutating func append(vector: [Float]) {
        append(bigEndian: Int16(vector.count))
        append(bigEndian: Int16(0))
        append(elements: vector)
    }

    mutating func append(elements vector: [Float]) {
        // Reserving exact capacity for each vector would copy the array every time.
        let swapped = vector.map { $0.bitPattern.bigEndian }
        swapped.withUnsafeBytes { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the integer at an offset.
    ///
    /// - Precondition: The integer is inside of the buffer.
    func bigEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        Value(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// Appends the elements of a vector, which begin at an offset, to an array.
    ///
    /// - Precondition: The number of bytes after the offset is a multiple of 4.
    func appendElements(from offset: Int, to vector: inout [Float]) {
        let count = (self.count - offset) / 4
        vector += [Float](unsafeUninitializedCapacity: count) { elements, initialized in
            for index in 0..<count {
                elements.initializeElement(
                    at: index, to: Float(bitPattern: bigEndian(at: offset + 4 * index, as: UInt32.self)))
            }
            initialized = count
        }
    }
}
