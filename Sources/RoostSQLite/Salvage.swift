import Foundation
import GRDB
import RoostFiles
import RoostModel

/// Reads what can still be read of a damaged database.
struct Salvage {
    private let url: URL
    private let options: SQLiteStorageProvider.Options

    init(_ url: URL, _ options: SQLiteStorageProvider.Options) {
        self.url = url
        self.options = options
    }

    func run(into target: SQLiteStorageProvider) async throws -> [StorageFinding] {
        let configuration = SQLiteStorageProvider.configuration(options)
        let source = try await readable(configuration)
        var findings: [StorageFinding] = []
        var kept = 0
        guard let last = try await highestRow(source) else { throw unreadable }
        var batch: [Entry] = []
        for row in 1...max(1, last) {
            let entry = try await whole {
                try await source.read { try EntryRows($0).entries(rows: [row]).first?.entry }
            }
            if let entry = entry ?? nil { batch.append(entry) }
            if batch.count == 500 || row == max(1, last) {
                kept += batch.count
                try await target.saveEntries(batch)
                batch = []
            }
        }
        findings.append(.note("entries", "\(kept) were kept"))
        if let lost = try await lost(source, kept), lost > 0 {
            findings.append(.damage("entries", "\(lost) are lost"))
        }
        guard kept > 0 || last == 0 else { throw unreadable }
        findings += try await copyRest(source, to: target)
        return findings
    }

    private var unreadable: StorageError {
        StorageError(.damaged, "no entry of \(url.path) can be read; put a copy in its place")
    }

    /// What `body` returns; `nil` where it meets damage.
    private func whole<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value? {
        try Task.checkCancellation()
        do {
            return try await body()
        } catch  where SQLiteStorageProvider.isDamage(error) {
            return nil
        }
    }

    /// The damaged database, or a copy of it in the present format.
    private func readable(_ configuration: Configuration) async throws -> DatabaseQueue {
        let source = try DatabaseQueue(path: url.path, configuration: configuration)
        guard try await source.read({ try !Schema.migrator.hasCompletedMigrations($0) }) else {
            return source
        }
        let copy = try DatabaseQueue(configuration: configuration)
        try source.backup(to: copy)
        try Schema.migrator.migrate(copy)
        return copy
    }

    private func highestRow(_ source: DatabaseQueue) async throws -> Int64? {
        var highest: Int64?
        for sql in ["SELECT max(row) FROM entries", "SELECT seq FROM sqlite_sequence WHERE name = 'entries'"]
        {
            let found = try await whole { try await source.read { try Int64.fetchOne($0, sql: sql) } }
            if let found = found ?? nil { highest = max(highest ?? 0, found) }
        }
        // A damaged number must not make the search endless.
        return highest.map { min($0, 100_000_000) }
    }

    private func lost(_ source: DatabaseQueue, _ kept: Int) async throws -> Int? {
        let count = try await whole {
            try await source.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entries NOT INDEXED") }
        }
        return (count ?? nil).map { max(0, $0 - kept) }
    }

    private func copyRest(
        _ source: DatabaseQueue, to target: SQLiteStorageProvider
    ) async throws -> [StorageFinding] {
        var findings: [StorageFinding] = []
        let snapshot = SQLiteSnapshotReader(source)
        if let sources = try await whole({ try await snapshot.sources() }) {
            _ = try await target.commit(WriteBatch(sources: sources))
        } else {
            findings.append(.damage("sources", "their records are lost; the next ingest looks at each anew"))
        }
        if let (run, clusters, assignments) = try await whole({ try await snapshot.clustering() }) {
            _ = try await target.commit(
                WriteBatch(clustering: .init(run: run, clusters: clusters, assignments: assignments)))
        } else {
            findings.append(.damage("clusters", "are lost; `roost recluster` makes new ones"))
        }
        let meta = try await whole { try await source.read { try Meta($0) } }
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
