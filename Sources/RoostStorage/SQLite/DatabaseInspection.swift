import Foundation
import GRDB
import RoostModel

/// Checks every page and every row of a database without writing anything.
///
/// The inspection runs the ``checks`` in order, each in a separate transaction. If a check fails because of
/// damage, the following checks still run.
struct DatabaseInspection {
    struct Check {
        /// The subject of the finding that is reported if the check itself could not read the database.
        let subject: String
        let run: (Database) throws -> [StorageFinding]
    }

    /// The subject of a finding that concerns only the mark of the last commit. Repairing it keeps all rows.
    static let markSubject = "the last commit"

    private let file: DatabaseFile
    /// The path of the database in findings. It differs from the path of ``file`` if that is a temporary copy
    /// or the database of a pending replacement.
    private let path: String
    private let configuration: Configuration

    init(_ file: DatabaseFile, _ options: SQLiteStorageProvider.Options, reportingAs path: String) {
        self.file = file
        self.path = path
        // Damaged pages are counted instead of causing an error, so that the checks of their rows can run.
        configuration = SQLiteStorageProvider.configuration(options, verifyingPages: .count)
    }

    private var checks: [Check] {
        [
            Check(subject: path, run: checkPages),
            Check(subject: path, run: checkHeader),
            Check(subject: "foreign keys", run: checkForeignKeys),
            Check(subject: Self.markSubject, run: checkMark),
            Check(subject: "meta", run: checkEntryCount),
        ]
            + Checksum.tables.map { table in
                Check(subject: table.name) { try checkChecksums(of: table, $0) }
            }
            + [Check(subject: "entry_tags", run: checkFilterTables)]
    }

    func run(_ isCancelled: () -> Bool) throws -> [StorageFinding] {
        try PageChecksums.register()
        // Only SQLite may open the file; `DatabaseFile` explains why.
        guard let size = try file.size() else {
            return [.damage(path, "is missing; restore it from a backup")]
        }
        guard size > 0, try isDatabase() else {
            return [.damage(path, "is not an SQLite database; restore it from a backup")]
        }
        // The connection is read-only so that SQLite does not move the log of a damaged database into it.
        let queue: DatabaseQueue
        do {
            queue = try file.openReadOnly(configuration)
        } catch  where DatabaseErrorMapping.reportsDamage(error) {
            return [unreadable(path, error)]
        }
        defer { try? queue.close() }
        let format = try findings(of: Check(subject: path, run: checkFormat), queue, isCancelled)
        guard format.isEmpty else { return format }
        var findings: [StorageFinding] = []
        for check in checks {
            if isCancelled() { throw CancellationError() }
            findings += try self.findings(of: check, queue, isCancelled)
        }
        return findings
    }

    private func isDatabase() throws -> Bool {
        do {
            let queue = try file.openReadOnly(configuration)
            defer { try? queue.close() }
            _ = try queue.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            return false
        } catch {
            // Other errors are reported by the checks.
            return true
        }
    }

    /// Runs a check. If damage prevents the check from reading the database, the result contains a finding
    /// about it.
    private func findings(
        of check: Check, _ queue: DatabaseQueue, _ isCancelled: () -> Bool
    ) throws -> [StorageFinding] {
        do {
            return try queue.read { database in
                try database.withCancellation(checking: isCancelled) { try check.run(database) }
            }
        } catch  where DatabaseErrorMapping.reportsDamage(error) {
            return [unreadable(check.subject, error)]
        }
    }

    private func unreadable(_ subject: String, _ error: any Error) -> StorageFinding {
        let message = (error as? DatabaseError)?.message ?? (error as? StorageError)?.message
        return .damage(
            subject, "cannot be read: \(message ?? "a value has an unexpected type")",
            remedy: "rebuilds the database from the readable rows")
    }
}

// MARK: - Checks

extension DatabaseInspection {
    private func checkFormat(_ database: Database) throws -> [StorageFinding] {
        if try Schema.isComplete(database, path: path) { return [] }
        return [.note(path, "has no tables; the first opening with write access creates them")]
    }

    private func checkPages(_ database: Database) throws -> [StorageFinding] {
        // Twenty findings show what kind of damage there is; a longer list would not be more useful.
        let remedy = "rebuilds the database from the intact rows"
        let findings = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
            .filter { $0 != "ok" }.map { StorageFinding.damage(path, $0, remedy: remedy) }
        // The check above has read all pages that are in use.
        let pages = try PageChecksums.report(database).damagedPages.map(String.init).joined(separator: ", ")
        return findings
            + damage(
                if: !pages.isEmpty, path, "the checksums of these pages do not match: \(pages)",
                remedy: remedy)
    }

    private func checkHeader(_ database: Database) throws -> [StorageFinding] {
        damage(
            if: try !PageChecksums.report(database).isChecksummed, path,
            "its header does not declare the checksums of its pages",
            remedy: "rebuilds the database from the intact rows")
    }

    private func damage(
        if isDamaged: Bool, _ subject: String, _ message: String, remedy: String
    ) -> [StorageFinding] {
        isDamaged ? [.damage(subject, message, remedy: remedy)] : []
    }

    private func checkForeignKeys(_ database: Database) throws -> [StorageFinding] {
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM pragma_foreign_key_check") ?? 0
        return damage(
            if: count > 0, "foreign keys",
            Count.text(
                count, "row refers to a row that does not exist", "rows refer to rows that do not exist"),
            remedy: "omits them")
    }

    private func checkMark(_ database: Database) throws -> [StorageFinding] {
        let lost = try RevisionMark.lost(by: file.url.path) { try Meta(database) }
        guard let (mark, meta) = lost else { return [] }
        return [
            .damage(
                Self.markSubject,
                "revision \(mark.revision) was committed, but the database is at revision \(meta.revision)",
                remedy: "continues from revision \(meta.revision), in a new epoch")
        ]
    }

    private func checkEntryCount(_ database: Database) throws -> [StorageFinding] {
        let recorded = try Meta(database).entryCount
        let counted = try Meta.countEntries(database)
        return damage(
            if: recorded != counted, "meta",
            "records \(recorded) entries, but the store contains \(counted)", remedy: "counts them again")
    }

    private func checkChecksums(
        of table: Checksum.Table, _ database: Database
    ) throws -> [StorageFinding] {
        let sql = "SELECT count(*) FROM \(table.name) WHERE NOT \(table.matches(table.name))"
        let count = try Int.fetchOne(database, sql: sql) ?? 0
        return damage(
            if: count > 0, table.name, "the checksums of \(Count.text(count, "row")) do not match",
            remedy: "omits them and keeps the damaged file")
    }

    /// Checks that the tables of tags and metadata, which are used to evaluate filters, agree with the
    /// entries.
    private func checkFilterTables(_ database: Database) throws -> [StorageFinding] {
        var counts: [String: Int] = [:]
        let entryRows = EntryRows(database)
        let cursor = try ResultRow.fetchCursor(
            database, sql: "SELECT \(EntryRows.columns) FROM \(EntryRows.tables) ORDER BY e.row")
        let tags = try database.cachedStatement(sql: "SELECT tag FROM entry_tags WHERE row = ?")
        let values = try database.cachedStatement(sql: "SELECT key, text FROM entry_metadata WHERE row = ?")
        while let row = try cursor.next() {
            let entry: Entry
            do {
                entry = try entryRows.entry(row)
            } catch  where DatabaseErrorMapping.reportsDamage(error) {
                continue  // The check of the checksums reports it.
            }
            let number: Int64 = try row.value(0)
            let foundTags = try Data.fetchSet(tags, arguments: [number])
            if foundTags != Set(entry.tags.map(Column.bytes)) { counts["entry_tags", default: 0] += 1 }
            let found = try Set(
                Row.fetchAll(values, arguments: [number]).map { [$0[0] as DatabaseValue, $0[1]] })
            let expected = entry.metadata.flatMap { key, value in
                value.comparableTexts.map {
                    [Column.bytes(key).databaseValue, Column.bytes($0).databaseValue]
                }
            }
            if found != Set(expected) { counts["entry_metadata", default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }.map {
            .damage(
                $0.key, "contradicts \(Count.text($0.value, "entry", "entries"))",
                remedy: "writes the table again")
        }
    }
}
