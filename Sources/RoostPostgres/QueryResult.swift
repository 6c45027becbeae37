import CPostgres
import Foundation
import RoostFiles
import RoostModel

/// The rows that a statement returned, in binary format. Only one thread uses a result.
final class QueryResult {
    private let handle: OpaquePointer

    /// Takes ownership of a result of libpq.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var count: Int { Int(PQntuples(handle)) }

    var rows: [ResultRow] { (0..<count).map { ResultRow(result: self, index: Int32($0)) } }

    func isNull(_ row: Int32, _ column: Int) -> Bool {
        PQgetisnull(handle, row, Int32(column)) != 0
    }

    func bytes(_ row: Int32, _ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, Int32(column)), count: Int(PQgetlength(handle, row, Int32(column)))
        )
    }
}

/// One row of a result. Values are read by the index of their column.
struct ResultRow {
    let result: QueryResult
    let index: Int32

    func isNull(_ column: Int) -> Bool { result.isNull(index, column) }

    /// Returns the bytes of a value, which stay valid as long as the result exists; empty for NULL.
    func rawBytes(_ column: Int) -> UnsafeRawBufferPointer { result.bytes(index, column) }

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

    /// Returns the checksum of consecutive values; see ``RowBuffer/seal()``.
    func checksum(of columns: Range<Int>, after crc: UInt32) -> UInt32 {
        columns.reduce(crc) { crc, column in
            let bytes = rawBytes(column)
            let length = Int32(isNull(column) ? -1 : bytes.count).bigEndian
            let partial = withUnsafeBytes(of: length) { CRC32C.checksum($0, after: crc) }
            return CRC32C.checksum(bytes, after: partial)
        }
    }

    /// Compares the checksum of consecutive values with the one in the column after them.
    ///
    /// - Parameter object: The object that the row describes, with an article, for the error message.
    @discardableResult
    func verify(
        _ columns: Range<Int>, after crc: UInt32, _ object: @autoclosure () -> String
    ) throws -> UInt32 {
        let found = checksum(of: columns, after: crc)
        guard try int64(columns.upperBound) == Int64(found) else {
            throw Stored.damaged("\(object()) whose checksum does not match")
        }
        return found
    }
}
