import CPostgres

/// The rows that a statement returned, in binary format. Only one thread uses a result.
final class QueryResult {
    private let handle: OpaquePointer

    /// Takes ownership of a result of libpq.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// The number of rows.
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
