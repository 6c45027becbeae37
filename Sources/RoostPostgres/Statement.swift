import CPostgres
import Foundation
import RoostFiles
import RoostModel

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

    init(bytes: [UInt8]?) { self.bytes = bytes }

    init(_ value: some ColumnValue) {
        var data: [UInt8] = []
        value.write(to: &data)
        let isNull = data.withUnsafeBytes { $0.bigEndian(at: 0, as: Int32.self) } < 0
        bytes = isNull ? nil : Array(data.dropFirst(4))
    }

    init<Value: ColumnValue>(_ values: some Collection<Value>) {
        var bytes = Self.arrayHeader(count: values.count, hasNull: false, type: Value.type.oid)
        for value in values { value.write(to: &bytes) }
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

enum ColumnType: String {
    case uuid, int8, float8, bytea, vector

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

/// A value of a column, which is written as its length in 32 bits, or -1 for NULL, and its bytes.
protocol ColumnValue {
    static var type: ColumnType { get }

    func write(to data: inout [UInt8])
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    static var type: ColumnType { Wrapped.type }

    func write(to data: inout [UInt8]) {
        if let self { self.write(to: &data) } else { data.append(bigEndian: Int32(-1)) }
    }
}

extension [UInt8]: ColumnValue {
    static var type: ColumnType { .bytea }

    func write(to data: inout [UInt8]) {
        data.append(bigEndian: Int32(count))
        data += self
    }
}

extension String: ColumnValue {
    static var type: ColumnType { .bytea }

    func write(to data: inout [UInt8]) {
        data.append(bigEndian: Int32(utf8.count))
        data += utf8
    }
}

extension Int64: ColumnValue {
    static var type: ColumnType { .int8 }

    func write(to data: inout [UInt8]) {
        data.append(bigEndian: Int32(8))
        data.append(bigEndian: self)
    }
}

extension Int: ColumnValue {
    static var type: ColumnType { .int8 }

    func write(to data: inout [UInt8]) { Int64(self).write(to: &data) }
}

extension Revision: ColumnValue {
    static var type: ColumnType { .int8 }

    func write(to data: inout [UInt8]) { Int64(clamping: rawValue).write(to: &data) }
}

extension Double: ColumnValue {
    static var type: ColumnType { .float8 }

    func write(to data: inout [UInt8]) { Int64(bitPattern: bitPattern).write(to: &data) }
}

extension UUID: ColumnValue {
    static var type: ColumnType { .uuid }

    func write(to data: inout [UInt8]) {
        data.append(bigEndian: Int32(16))
        data.append(self)
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

/// The rows that a statement returned, in binary format. Only one thread uses a result.
final class QueryResult {
    fileprivate let handle: OpaquePointer

    /// Takes ownership of a result of libpq.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var count: Int { Int(PQntuples(handle)) }

    var rows: [ResultRow] { (0..<count).map { ResultRow(result: self, index: Int32($0)) } }
}

/// One row of a result. Values are read by the index of their column.
struct ResultRow {
    let result: QueryResult
    let index: Int32

    func isNull(_ column: Int) -> Bool { PQgetisnull(result.handle, index, Int32(column)) != 0 }

    /// Returns the bytes of a value, which stay valid as long as the result exists; empty for NULL.
    func rawBytes(_ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result.handle, index, Int32(column)),
            count: Int(PQgetlength(result.handle, index, Int32(column))))
    }

    func bytes(_ column: Int) -> [UInt8] { Array(rawBytes(column)) }

    func bytesIfPresent(_ column: Int) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    func int64(_ column: Int) throws -> Int64 {
        let bytes = try sized(8, column)
        return bytes.bigEndian(at: 0, as: Int64.self)
    }

    func int(_ column: Int) throws -> Int { Int(try int64(column)) }

    func double(_ column: Int) throws -> Double {
        Double(bitPattern: try sized(8, column).bigEndian(at: 0, as: UInt64.self))
    }

    func bool(_ column: Int) throws -> Bool { try sized(1, column)[0] != 0 }

    func uuid(_ column: Int) throws -> UUID {
        UUID(uuid: try sized(16, column).loadUnaligned(as: uuid_t.self))
    }

    func uuidIfPresent(_ column: Int) throws -> UUID? { isNull(column) ? nil : try uuid(column) }

    func revision(_ column: Int) throws -> Revision {
        guard let number = UInt64(exactly: try int64(column)), Revision(rawValue: number) <= .maximum else {
            throw Stored.damaged("a revision that is out of range")
        }
        return Revision(rawValue: number)
    }

    func row(_ column: Int) throws -> UInt32 {
        let number = try int64(column)
        guard let row = UInt32(exactly: number) else {
            throw Stored.damaged("an entry with the invalid row number \(number)")
        }
        return row
    }

    func text(_ column: Int) throws -> String {
        guard let text = String(validating: rawBytes(column), as: UTF8.self) else {
            throw Stored.damaged("a text that is not valid UTF-8")
        }
        return text
    }

    func textIfPresent(_ column: Int) throws -> String? { isNull(column) ? nil : try text(column) }

    func vector(_ column: Int) throws -> [Float] {
        var vector: [Float] = []
        try appendVector(column, to: &vector)
        return vector
    }

    func appendVector(_ column: Int, to elements: inout [Float]) throws {
        let bytes = rawBytes(column)
        guard bytes.count >= 4, (bytes.count - 4) == 4 * Int(bytes.bigEndian(at: 0, as: UInt16.self)) else {
            throw Stored.damaged("a vector of \(bytes.count) bytes, which differs from its dimension")
        }
        bytes.appendElements(from: 4, to: &elements)
    }

    private func sized(_ count: Int, _ column: Int) throws -> UnsafeRawBufferPointer {
        let bytes = rawBytes(column)
        guard !isNull(column), bytes.count == count else {
            throw Stored.damaged("a value of \(bytes.count) bytes instead of \(count)")
        }
        return bytes
    }

    /// Compares the checksum of consecutive values with the one in the column after them.
    ///
    /// - Parameter object: The object that the row describes, with an article, for the error message.
    @discardableResult
    func verify(
        _ columns: Range<Int>, after crc: UInt32, _ object: @autoclosure () -> String
    ) throws -> UInt32 {
        let found = columns.reduce(crc) { crc, column in
            let bytes = rawBytes(column)
            let length = Int32(isNull(column) ? -1 : bytes.count).bigEndian
            let partial = withUnsafeBytes(of: length) { CRC32C.checksum($0, after: crc) }
            return CRC32C.checksum(bytes, after: partial)
        }
        guard try int64(columns.upperBound) == Int64(found) else {
            throw Stored.damaged("\(object()) whose checksum does not match")
        }
        return found
    }
}
