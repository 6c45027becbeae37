import GRDB
import RoostModel

/// The checksums of rows: CRC-32C over the columns, computed by the SQL function `roost_crc`.
///
/// A repair reads the rows of damaged pages, and keeps those whose checksums match. In tables whose rows are
/// found by the row number of an entry, the checksum also covers the entry's id.
enum Checksum {
    struct Table {
        let name: String
        let columns: String
        let coversID: Bool

        init(_ name: String, _ columns: String, coversID: Bool = false) {
            self.name = name
            self.columns = columns
            self.coversID = coversID
        }

        func value(of alias: String, id: String? = nil) -> String {
            var names = columns.split(separator: ", ").map { "\(alias).\($0)" }
            if coversID { names.append(id ?? "(SELECT id FROM entries o WHERE o.row = \(alias).row)") }
            return "roost_crc(\(names.joined(separator: ", ")))"
        }

        func matches(_ alias: String, id: String? = nil) -> String {
            "(\(alias).checksum IS \(value(of: alias, id: id)))"
        }
    }

    static let entries = Table(
        "entries",
        "row, id, content, source, key, metadata, tags, structure, created, updated, digest, revision, "
            + "ordinal, passages, dimension")
    static let vectors = Table("vectors", "row, embedding", coversID: true)
    static let passages = Table("passages", "row, ordinal, start, end, tokens, vector", coversID: true)
    static let locations = Table("locations", "row, line, last_line, page, headings", coversID: true)
    static let tombstones = Table("tombstones", "id, revision, ordinal, removed")
    static let sources = Table("sources", "id, fingerprint, ingested")
    static let clusters = Table("clusters", "id, record, centroid")
    static let assignments = Table(
        "assignments", "row, cluster, outlier, run, similarity, confidence", coversID: true)

    static let tables = [
        assignments, clusters, entries, locations, passages, sources, tombstones, vectors,
    ]

    /// Checks the result of ``Table/matches(_:id:)``.
    static func check(_ row: Row, _ index: Int, _ object: @autoclosure () -> String) throws {
        guard try row.value(index) as Bool? == true else {
            throw Column.damaged("\(object()) whose checksum does not match")
        }
    }
}

extension Row {
    /// Returns the value of a column. GRDB's subscript is not used, because it would trap on a value of a
    /// different type, which a damaged row can contain.
    func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) throws -> Value {
        try decode(Value.self, atIndex: index)
    }
}
