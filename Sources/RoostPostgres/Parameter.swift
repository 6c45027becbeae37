import Foundation

/// A value that is bound to a parameter of a statement, in the binary format of its SQL type; `nil` for NULL.
struct Parameter: Sendable {
    let bytes: [UInt8]?

    init(_ bytes: [UInt8]?) { self.bytes = bytes }

    init(_ value: Int64) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: value)
        self.bytes = bytes
    }

    init(_ value: Int) { self.init(Int64(value)) }

    init(_ value: Double) { self.init(Int64(bitPattern: value.bitPattern)) }

    init(_ id: UUID) {
        var bytes: [UInt8] = []
        bytes.append(id)
        self.bytes = bytes
    }

    init(_ ids: some Collection<UUID>) {
        self.init(array: ids, of: .uuid) { $1.append($0) }
    }

    init(_ values: some Collection<Int64>) {
        self.init(array: values, of: .int8) { $1.append(bigEndian: $0) }
    }

    init(_ values: some Collection<Double>) {
        self.init(array: values, of: .float8) { $1.append(bigEndian: $0.bitPattern) }
    }

    init(_ values: some Collection<[UInt8]>) {
        self.init(array: values, of: .bytea) { $1 += $0 }
    }

    private init<Element>(
        array: some Collection<Element>, of type: ColumnType, _ append: (Element, inout [UInt8]) -> Void
    ) {
        var bytes = Self.arrayHeader(count: array.count, hasNull: false, type: type.oid)
        for element in array {
            let start = bytes.count
            bytes.append(bigEndian: Int32(0))
            append(element, &bytes)
            let length = UInt32(bytes.count - start - 4).bigEndian
            withUnsafeBytes(of: length) { bytes.replaceSubrange(start..<start + 4, with: $0) }
        }
        self.bytes = bytes
    }

    /// Returns the beginning of a one-dimensional array.
    ///
    /// - Parameter type: The object identifier of the type of its elements.
    static func arrayHeader(count: Int, hasNull: Bool, type: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        bytes.append(bigEndian: Int32(hasNull ? 1 : 0))
        bytes.append(bigEndian: type)
        if count > 0 {
            bytes.append(bigEndian: Int32(count))
            bytes.append(bigEndian: Int32(1))
        }
        return bytes
    }
}
