import Foundation
import GRDB
import RoostModel

/// An `EntryFilter` as a condition on the table `entries e`, every value bound.
struct FilterSQL {
    let sql: String
    let arguments: [any DatabaseValueConvertible]
    /// What is answered from tables beside the entries'.
    private let derived: EntryFilter

    init(_ filter: EntryFilter) {
        var conditions = ["1"]
        var arguments: [any DatabaseValueConvertible] = []
        func add(_ sql: String, _ values: [any DatabaseValueConvertible]) {
            conditions.append(sql)
            arguments += values
        }
        derived = EntryFilter(tags: filter.tags, metadata: filter.metadata)
        // Few values are looked up in the index; many are given as JSON, since a statement takes a limited
        // number of arguments.
        func addAny(_ column: String, of values: [Data]) {
            if values.count <= 500 {
                let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
                add("\(column) IN (\(marks))", values)
            } else {
                let list = "[" + values.map { "\"\(Column.hexadecimal($0))\"" }.joined(separator: ",") + "]"
                add("hex(\(column)) IN (SELECT value FROM json_each(?))", [list])
            }
        }
        if let ids = filter.ids { addAny("e.id", of: ids.map(Column.bytes)) }
        if let prefix = filter.idPrefix {
            let dashed =
                "substr(hex(e.id),1,8)||'-'||substr(hex(e.id),9,4)||'-'||substr(hex(e.id),13,4)||'-'||"
                + "substr(hex(e.id),17,4)||'-'||substr(hex(e.id),21)"
            add("substr(\(dashed), 1, ?) = ?", [prefix.utf8.count, prefix.uppercased()])
        }
        if let sources = filter.sources { addAny("e.source", of: sources.map(Column.bytes)) }
        for tag in filter.tags.sorted() {
            add("e.row IN (SELECT row FROM entry_tags WHERE tag = ?)", [Column.bytes(tag)])
        }
        for (key, text) in filter.metadata.sorted(by: { $0.key < $1.key }) {
            add(
                "e.row IN (SELECT row FROM entry_metadata WHERE key = ? AND text = ?)",
                [Column.bytes(key), Column.bytes(text)])
        }
        if let cluster = filter.cluster {
            add("e.row IN (SELECT row FROM assignments WHERE cluster = ?)", [Column.bytes(cluster)])
        }
        sql = conditions.joined(separator: " AND ")
        self.arguments = arguments
    }

    /// Whether an entry that was found has the tags and metadata that it was found by.
    func confirms(_ entry: Entry) -> Bool { derived.matchesAll || derived.matches(entry, assigned: nil) }
}
