import GRDB
import RoostModel

/// The checksums of rows: CRC-32C over the columns, computed by the SQL function `roost_crc`.
///
/// SQLite's pages have no checksums, so a damaged byte would be read without notice. The checksum of a row
/// that is found by the row number of its entry also covers the entry's id.
enum Checksum {
    struct Table {
        let name: String
        /// All columns but the checksum, as a list in SQL.
        let columns: String
        /// Whether the checksum covers the id of the entry with the same row number.
        let coversID: Bool

        init(_ name: String, _ columns: String, coversID: Bool = false) {
            self.name = name
            self.columns = columns
            self.coversID = coversID
        }

        /// Returns SQL for the checksum that a row should have.
        ///
        /// - Parameters:
        ///   - alias: The name of the table in the statement.
        ///   - id: SQL for the id of the entry; by default a subquery.
        func value(of alias: String, id: String? = nil) -> String {
            var names = columns.split(separator: ", ").map { "\(alias).\($0)" }
            if coversID { names.append(id ?? "(SELECT id FROM entries o WHERE o.row = \(alias).row)") }
            return "roost_crc(\(names.joined(separator: ", ")))"
        }

        /// Returns SQL that is true if the checksum of a row matches.
        func matches(_ alias: String, id: String? = nil) -> String {
            "(\(alias).checksum IS \(value(of: alias, id: id)))"
        }
    }

    static let entries = Table(
        "entries",
        "row, id, content, source, key, metadata, tags, created, updated, digest, revision, ordinal, "
            + "passages, dimension")
    static let vectors = Table("vectors", "row, embedding", coversID: true)
    static let passages = Table("passages", "row, ordinal, start, end, tokens, vector", coversID: true)
    static let tombstones = Table("tombstones", "id, revision, ordinal, removed")
    static let sources = Table("sources", "id, fingerprint, ingested")
    static let clusters = Table("clusters", "id, record, centroid")
    static let assignments = Table(
        "assignments", "row, cluster, outlier, run, similarity, confidence", coversID: true)

    static let tables = [assignments, clusters, entries, passages, sources, tombstones, vectors]

    /// Checks the result of ``Table/matches(_:id:)``.
    ///
    /// - Parameters:
    ///   - index: The column of `row` that contains the result.
    ///   - object: The object that the row describes, with an article, for the message.
    /// - Throws: `StorageError` with `.damaged` if the checksum does not match.
    static func check(_ row: Row, _ index: Int, _ object: @autoclosure () -> String) throws {
        guard try row.value(index) as Bool? == true else {
            throw Column.damaged("\(object()) whose checksum does not match")
        }
    }
}

extension Row {
    /// Returns the value of a column. GRDB's subscript would trap on a value of another type, which a damaged
    /// row can contain.
    ///
    /// - Throws: `RowDecodingError`.
    func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) throws -> Value {
        try decode(Value.self, atIndex: index)
    }
}
