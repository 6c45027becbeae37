public import Foundation
import GRDB
import RoostFiles
public import RoostModel

extension SQLiteStorageProvider {
    /// Checks every page and every row of a database, whether it can be opened as a store or not.
    ///
    /// - Returns: what was found, with what a repair would do; no damage where the store is whole.
    /// - Throws: ``StorageError``: `.inputOutput`, `.newerFormat`.
    public static func inspect(databaseURL: URL, options: Options = Options()) async throws
        -> [StorageFinding]
    {
        try await BlockingWork.run { _ in
            try translating(databaseURL.path) { try inspection(of: databaseURL, options) }
        }
    }

    /// Puts a damaged database together from the rows that are as they were written, under a new epoch. The
    /// damaged files are moved into a folder with the date in its name; nothing is deleted. A database that
    /// is whole stays as it is.
    ///
    /// - Atomicity: before the last rename the store is as it was.
    /// - Returns: what was found and done.
    /// - Throws: ``StorageError``: `.locked`, `.inputOutput`, `.newerFormat`.
    public static func repair(databaseURL: URL, options: Options = Options()) async throws -> [StorageFinding]
    {
        var findings = try await inspect(databaseURL: databaseURL, options: options)
        guard findings.contains(where: { $0.severity == .damage }) else { return findings }
        let lockURL = options.lockURL ?? databaseURL.appendingPathExtension("lock")
        let lock = try await BlockingWork.run { isCancelled in
            try translating(databaseURL.path) {
                try FileLock.acquire(lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
            }
        }
        defer { lock.release() }
        if findings.allSatisfy({ $0.severity == .note || $0.subject == markSubject }) {
            try await BlockingWork.run { _ in
                try translating(databaseURL.path) { try beginNewHistory(databaseURL, options) }
            }
            findings.append(.note(databaseURL.path, "goes on from what is there, in a new epoch"))
            return findings
        }
        let folder = databaseURL.deletingLastPathComponent()
        let stamp = DateText.string(from: Date()).filter(\.isNumber)
        let made = folder.appendingPathComponent("repaired-\(stamp).sqlite")
        var makeOptions = options
        // The store's own lock is held; nobody else knows the new file.
        makeOptions.lockURL = made.appendingPathExtension("lock")
        let target = try await SQLiteStorageProvider(databaseURL: made, options: makeOptions)
        let salvage = try await Salvage(databaseURL, options).run(into: target)
        findings += salvage
        _ = try? await target.pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try await target.close()
        let aside = folder.appendingPathComponent("damaged-\(stamp)")
        try await BlockingWork.run { _ in
            try translating(databaseURL.path) {
                let files = FileSystem.standard
                try files.createFolder(aside)
                for suffix in ["-wal", "-shm", ""] {
                    let path = databaseURL.path + suffix
                    guard FileManager.default.fileExists(atPath: path) else { continue }
                    let name = databaseURL.lastPathComponent + suffix
                    try files.rename(path, to: aside.appendingPathComponent(name).path)
                }
                try files.rename(made.path, to: databaseURL.path)
                for suffix in ["-wal", "-shm", ".lock"] { try files.unlink(made.path + suffix) }
                try files.synchronizeFolder(folder)
            }
        }
        findings.append(
            .note(databaseURL.path, "was put together again; what was damaged is in \(aside.path)"))
        return findings
    }

    private static func inspection(of url: URL, _ options: Options) throws -> [StorageFinding] {
        let head = try FileDescriptor(url.path, O_RDONLY).read(at: 0, count: 16)
        guard head == Data("SQLite format 3\0".utf8) else {
            return [.damage(url.path, "is not an SQLite database", remedy: "begins an empty one")]
        }
        var findings: [StorageFinding] = []
        func look(_ what: String, _ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as DatabaseError where error.resultCode != .SQLITE_BUSY {
                findings.append(
                    .damage(what, "cannot be read: \(error.message ?? "SQLite error \(error.resultCode)")"))
            } catch let error as StorageError where error.code == .damaged {
                findings.append(.damage(what, error.message))
            }
        }
        try look(url.path) {
            let pool = try DatabasePool(path: url.path, configuration: configuration(options))
            defer { try? pool.close() }
            if try pool.read({ try Schema.migrator.hasBeenSuperseded($0) }) {
                throw StorageError(
                    .newerFormat,
                    "\(url.path) was written by a newer version of Roost; update Roost to look at it")
            }
            try look(url.path) {
                for text in try pool.read({ try String.fetchAll($0, sql: "PRAGMA integrity_check(20)") })
                where text != "ok" {
                    findings.append(.damage(url.path, text))
                }
            }
            try look("foreign keys") {
                let count = try pool.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").count }
                if count > 0 { findings.append(.damage("foreign keys", "\(count) rows point to nothing")) }
            }
            try look(markSubject) {
                try RevisionMark(of: url.path)?.check(try pool.read { try Meta($0) }, url.path)
            }
            try look("meta") { _ = try pool.read { try Meta($0) } }
            for (table, columns) in Checksum.columns.sorted(by: { $0.key < $1.key }) {
                try look(table) {
                    let sql = "SELECT count(*) FROM \(table) WHERE NOT \(Checksum.holds(columns))"
                    let count = try pool.read { try Int.fetchOne($0, sql: sql) } ?? 0
                    if count > 0 {
                        findings.append(
                            .damage(
                                table, "\(count) rows are not as they were written",
                                remedy: "leaves them out and keeps the damaged file"))
                    }
                }
            }
            try look("entry_tags") { findings += try pool.read { try looseRows($0) } }
        }
        return findings
    }

    private static let markSubject = "the last commit"

    /// The database is older than its mark and otherwise whole.
    private static func beginNewHistory(_ url: URL, _ options: Options) throws {
        let pool = try DatabasePool(path: url.path, configuration: configuration(options))
        defer { try? pool.close() }
        let mark = try pool.write { database in
            var meta = try Meta(database)
            meta.epoch = UUID()
            meta.revision = max(meta.revision, RevisionMark(of: url.path)?.revision ?? .zero).next
            try meta.save(database)
            return RevisionMark(epoch: meta.epoch, revision: meta.revision)
        }
        mark.write(of: url.path)
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
            guard let entry = try? rows.entry(row) else { continue }
            let number: Int64 = row[0]
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

/// Reads what can still be read of a damaged database.
private struct Salvage {
    private let url: URL
    private let options: SQLiteStorageProvider.Options

    init(_ url: URL, _ options: SQLiteStorageProvider.Options) {
        self.url = url
        self.options = options
    }

    func run(into target: SQLiteStorageProvider) async throws -> [StorageFinding] {
        let configuration = SQLiteStorageProvider.configuration(options)
        guard let source = try? DatabaseQueue(path: url.path, configuration: configuration) else {
            return [.damage(url.path, "nothing can be read of it")]
        }
        var findings: [StorageFinding] = []
        var kept = 0
        let last = await highestRow(source)
        var batch: [Entry] = []
        for row in 1...max(1, last) {
            let entry = try? await source.read { database in
                try EntryRows(database).entries(rows: [row]).first?.entry
            }
            if let entry { batch.append(entry) }
            if batch.count == 500 || row == max(1, last) {
                kept += batch.count
                try await target.saveEntries(batch)
                batch = []
            }
        }
        findings.append(.note("entries", "\(kept) were kept"))
        if let lost = await lost(source, kept), lost > 0 {
            findings.append(.damage("entries", "\(lost) are lost"))
        }
        findings += try await copyRest(source, to: target)
        return findings
    }

    private func highestRow(_ source: DatabaseQueue) async -> Int64 {
        var highest: Int64 = 0
        for sql in ["SELECT max(row) FROM entries", "SELECT seq FROM sqlite_sequence WHERE name = 'entries'"]
        {
            let found = try? await source.read { try Int64.fetchOne($0, sql: sql) }
            highest = max(highest, found ?? 0)
        }
        // A damaged number must not make the search endless.
        return min(highest, 100_000_000)
    }

    private func lost(_ source: DatabaseQueue, _ kept: Int) async -> Int? {
        let count = try? await source.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM entries NOT INDEXED")
        }
        return count.map { max(0, $0 - kept) }
    }

    private func copyRest(
        _ source: DatabaseQueue, to target: SQLiteStorageProvider
    ) async throws -> [StorageFinding] {
        var findings: [StorageFinding] = []
        let snapshot = SQLiteSnapshotReader(source)
        do {
            let sources = try await snapshot.sources()
            _ = try await target.commit(WriteBatch(sources: sources))
        } catch {
            findings.append(.damage("sources", "their records are lost; the next ingest looks at each anew"))
        }
        do {
            let (run, clusters, assignments) = try await snapshot.clustering()
            _ = try await target.commit(
                WriteBatch(clustering: .init(run: run, clusters: clusters, assignments: assignments)))
        } catch {
            findings.append(.damage("clusters", "are lost; `roost recluster` makes new ones"))
        }
        let meta = try? await source.read { try Meta($0) }
        if meta == nil { findings.append(.damage("meta", "the store's identity is lost; it has a new one")) }
        try await target.pool.write { database in
            var own = try Meta(database)
            if let meta {
                own.revision = max(own.revision, meta.revision).next
                try database.execute(
                    sql: "UPDATE meta SET value = ? WHERE key = 'store'", arguments: [meta.store.uuidString])
            }
            own.epoch = UUID()
            try own.save(database)
        }
        return findings
    }
}

/// The parts of a database that are not entries.
private struct SQLiteSnapshotReader {
    private let source: DatabaseQueue

    init(_ source: DatabaseQueue) { self.source = source }

    func sources() async throws -> [Source] {
        try await source.read { database in
            let sql = "SELECT \(SQLiteSnapshot.sourceColumns) FROM sources ORDER BY id"
            return try Row.fetchAll(database, sql: sql).map(SQLiteSnapshot.source)
        }
    }

    func clustering() async throws -> (ClusteringRun?, [Cluster], [Assignment]) {
        try await source.read { database in
            (
                try Meta(database).run(), try ClusterRows.clusters(database, members: false),
                try ClusterRows.assignments(database)
            )
        }
    }
}
