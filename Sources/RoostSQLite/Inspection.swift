import Foundation
import GRDB
import RoostFiles
import RoostModel

/// Looks at every page and every row of a database, without writing anything.
struct Inspection {
    static let markSubject = "the last commit"

    private let url: URL
    private let options: SQLiteStorageProvider.Options

    init(_ url: URL, _ options: SQLiteStorageProvider.Options) {
        self.url = url
        self.options = options
    }

    private func isDatabase() throws -> Bool {
        var configuration = SQLiteStorageProvider.configuration(options)
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: url.path, configuration: configuration)
            defer { try? queue.close() }
            _ = try queue.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            return false
        } catch {
            // What else is the matter with it is looked at next.
            return true
        }
    }

    func run(_ isCancelled: () -> Bool) throws -> [StorageFinding] {
        // Not opened but by SQLite, which may have it open in this process: see `prepareFile`.
        guard let size = try SQLiteStorageProvider.size(of: url) else {
            return [.damage(url.path, "is missing; put back a copy of it")]
        }
        guard size > 0, try isDatabase() else {
            return [.damage(url.path, "is not an SQLite database; put back a copy of it")]
        }
        var findings: [StorageFinding] = []
        func look(_ what: String, _ body: () throws -> Void) throws {
            if isCancelled() { throw CancellationError() }
            do {
                try body()
            } catch  where SQLiteStorageProvider.isDamage(error) {
                let message = (error as? DatabaseError)?.message ?? (error as? StorageError)?.message
                findings.append(
                    .damage(
                        what, "cannot be read: \(message ?? "a value of another type")",
                        remedy: "puts the database together again from the rows that can be"))
            }
        }
        try look(url.path) {
            // Read only, so that the log of a damaged database is not moved into it.
            var configuration = SQLiteStorageProvider.configuration(options)
            configuration.readonly = true
            let queue = try DatabaseQueue(path: url.path, configuration: configuration)
            defer { try? queue.close() }
            if try queue.read({ try Schema.migrator.hasBeenSuperseded($0) }) {
                throw StorageError(
                    .newerFormat,
                    "\(url.path) was written by a newer version of Roost; update Roost to look at it")
            }
            try look(url.path) {
                for text in try queue.read({ try String.fetchAll($0, sql: "PRAGMA integrity_check(20)") })
                where text != "ok" {
                    findings.append(
                        .damage(
                            url.path, text,
                            remedy: "puts the database together again from the rows that are whole"))
                }
            }
            try look("foreign keys") {
                let count = try queue.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").count }
                if count > 0 {
                    findings.append(
                        .damage(
                            "foreign keys", "\(count) rows point to nothing", remedy: "leaves them out"))
                }
            }
            guard try queue.read({ try Schema.migrator.hasCompletedMigrations($0) }) else {
                findings.append(
                    .note(
                        url.path,
                        "is of an older format, whose rows have no checksums; opening it writes the "
                            + "present one"
                    ))
                return
            }
            try look(Self.markSubject) {
                try RevisionMark(of: url.path)?.check(try queue.read { try Meta($0) }, url.path)
            }
            try look("meta") {
                let (said, found) = try queue.read { database in
                    var meta = try Meta(database)
                    let said = meta.entryCount
                    meta.entryCount = nil
                    return (said, try meta.countEntries(database))
                }
                if let said, said != found {
                    findings.append(
                        .damage(
                            "meta", "says that there are \(said) entries; there are \(found)",
                            remedy: "counts them anew"))
                }
            }
            for table in Checksum.tables {
                try look(table.name) {
                    let sql = "SELECT count(*) FROM \(table.name) WHERE NOT \(table.holds(table.name))"
                    let count = try queue.read { try Int.fetchOne($0, sql: sql) } ?? 0
                    if count > 0 {
                        findings.append(
                            .damage(
                                table.name, "\(count) rows are not as they were written",
                                remedy: "leaves them out and keeps the damaged file"))
                    }
                }
            }
            try look("entry_tags") { findings += try queue.read { try Self.looseRows($0) } }
        }
        return findings
    }

    /// What filters are answered from must say the same as the entries.
    private static func looseRows(_ database: Database) throws -> [StorageFinding] {
        var counts: [String: Int] = [:]
        let rows = EntryRows(database)
        let cursor = try Row.fetchCursor(
            database,
            sql:
                """
                SELECT \(EntryRows.columns) FROM entries e LEFT JOIN vectors v ON v.row = e.row
                ORDER BY e.row
                """
        )
        let tags = try database.cachedStatement(sql: "SELECT tag FROM entry_tags WHERE row = ?")
        let values = try database.cachedStatement(sql: "SELECT key, text FROM entry_metadata WHERE row = ?")
        while let row = try cursor.next() {
            let entry: Entry
            do {
                entry = try rows.entry(row)
            } catch  where SQLiteStorageProvider.isDamage(error) {
                continue  // Its own checksum tells of it.
            }
            let number: Int64 = try row.value(0)
            let foundTags = try Data.fetchSet(tags, arguments: [number])
            if foundTags != Set(entry.tags.map(Column.bytes)) { counts["entry_tags", default: 0] += 1 }
            let pairs = try Row.fetchAll(values, arguments: [number])
            let found = Set(pairs.map { "\($0[0] as DatabaseValue)=\($0[1] as DatabaseValue)" })
            let expected = entry.metadata.compactMap { key, value in
                value.text.map { "\(Column.bytes(key).databaseValue)=\(Column.bytes($0).databaseValue)" }
            }
            if found != Set(expected) { counts["entry_metadata", default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }.map {
            .damage($0.key, "differs from what \($0.value) entries say", remedy: "writes it anew")
        }
    }
}
