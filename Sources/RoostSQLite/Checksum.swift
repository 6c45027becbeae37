import GRDB
import RoostModel

/// SQLite's pages bear no checksums, so that a damaged byte would be read as if it had been written: rows
/// that must not lie carry their own, CRC-32C over their columns by the function `roost_crc`. Rows that are
/// found by the number of their entry's row cover the entry's id too.
enum Checksum {
    struct Table {
        let name: String
        /// All but the checksum, as a list in SQL.
        let columns: String
        /// Whether the id of the entry in the same row is covered.
        let coversID: Bool

        init(_ name: String, _ columns: String, coversID: Bool = false) {
            self.name = name
            self.columns = columns
            self.coversID = coversID
        }

        /// SQL of the checksum that a row should have.
        ///
        /// - Parameters:
        ///   - alias: the table's name in the statement.
        ///   - id: SQL of the entry's id, where the statement has it at hand.
        func value(of alias: String, id: String? = nil) -> String {
            var names = columns.split(separator: ", ").map { "\(alias).\($0)" }
            if coversID { names.append(id ?? "(SELECT id FROM entries o WHERE o.row = \(alias).row)") }
            return "roost_crc(\(names.joined(separator: ", ")))"
        }

        /// SQL that is true where a row is as it was written.
        func holds(_ alias: String, id: String? = nil) -> String {
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

    /// - Throws: ``StorageError`` with `.damaged` where a column that says whether a row is as it was written
    ///   says no.
    static func check(_ row: Row, _ index: Int, _ what: @autoclosure () -> String) throws {
        guard try row.value(index) as Bool? == true else {
            throw Column.damaged("\(what()) that is not as it was written")
        }
    }
}

extension Row {
    /// A column's value; the subscript would end the process where a damaged row has another type.
    ///
    /// - Throws: `RowDecodingError`.
    func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) throws -> Value {
        try decode(Value.self, atIndex: index)
    }
}
