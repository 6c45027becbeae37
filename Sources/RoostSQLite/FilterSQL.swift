import Foundation
import GRDB
import RoostModel

/// An `EntryFilter` as a condition on the table `entries e`, every value bound.
struct FilterSQL {
    let sql: String
    let arguments: [any DatabaseValueConvertible]

    init(_ filter: EntryFilter) {
        var conditions = ["1"]
        var arguments: [any DatabaseValueConvertible] = []
        func add(_ sql: String, _ values: [any DatabaseValueConvertible]) {
            conditions.append(sql)
            arguments += values
        }
        func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
        if let ids = filter.ids {
            // As JSON, since a statement takes a limited number of arguments.
            let list =
                "[" + ids.map { "\"\($0.uuidString.replacing("-", with: ""))\"" }.joined(separator: ",") + "]"
            add("hex(e.id) IN (SELECT value FROM json_each(?))", [list])
        }
        if let prefix = filter.idPrefix {
            let dashed =
                "substr(hex(e.id),1,8)||'-'||substr(hex(e.id),9,4)||'-'||substr(hex(e.id),13,4)||'-'||"
                + "substr(hex(e.id),17,4)||'-'||substr(hex(e.id),21)"
            add("substr(\(dashed), 1, ?) = ?", [prefix.count, prefix.uppercased()])
        }
        if let sources = filter.sources {
            add("e.source IN (\(marks(sources.count)))", sources.map(Column.bytes))
        }
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
}
