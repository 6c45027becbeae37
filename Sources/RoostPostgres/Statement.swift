import Foundation

struct Statement: Sendable {
    let sql: String
    let parameters: [Parameter]
    /// Whether the connection keeps the prepared statement. Statements with a variable text are not kept,
    /// because a connection would collect them without limit.
    let isKept: Bool

    init(_ sql: String, _ parameters: [Parameter] = [], isKept: Bool = true) {
        (self.sql, self.parameters, self.isKept) = (sql, parameters, isKept)
    }
}

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

enum ColumnType {
    case uuid, int8, float8, bytea, vector

    var name: String {
        switch self {
        case .uuid: "uuid"
        case .int8: "int8"
        case .float8: "float8"
        case .bytea: "bytea"
        case .vector: "vector"
        }
    }

    /// The object identifier of the type in every server; 0 for `vector`, whose identifier differs between
    /// databases.
    var oid: UInt32 {
        switch self {
        case .uuid: 2950
        case .int8: 20
        case .float8: 701
        case .bytea: 17
        case .vector: 0
        }
    }
}

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
    func bigEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        Value(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

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
