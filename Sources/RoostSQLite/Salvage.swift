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
        guard let highest = try await highestRow(source) else { throw unreadable }
        // A damaged number may be anything.
        let last = max(0, highest)
        var (kept, withoutVectors) = (0, 0)
        var batch: [Entry] = []
        // A store that came from another kind has a row 0.
        for row in 0...last {
            if let entry = try await whole({ try await source.read { try EntryRows($0).entry(in: row) } })
                ?? nil
            {
                batch.append(entry)
            } else if let entry = try await whole({
                try await source.read { try EntryRows($0).entryWithoutVectors(in: row) }
            }) ?? nil {
                batch.append(entry)
                withoutVectors += 1
            }
            if batch.count == 500 || row == last {
                kept += batch.count
                try await target.saveEntries(batch)
                batch = []
            }
        }
        findings.append(.note("entries", "\(kept) were kept"))
        if withoutVectors > 0 {
            findings.append(
                .damage(
                    "vectors",
                    "\(withoutVectors) of the entries were kept as texts, without their vectors; "
                        + "`roost edit`, or an ingest of what they came from, embeds them again"))
        }
        let lost = try await lost(source, kept)
        if let lost, lost > 0 { findings.append(.damage("entries", "\(lost) are lost")) }
        guard kept > 0 || last == 0 else { throw unreadable }
        findings += try await copyRest(source, to: target, isWhole: withoutVectors == 0 && lost == 0)
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
        guard FileManager.default.fileExists(atPath: url.path) else { throw unreadable }
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

    /// - Parameter isWhole: whether every entry was kept as it was; otherwise sources are said to have
    ///   changed, so that the next ingest of them brings back what it can.
    private func copyRest(
        _ source: DatabaseQueue, to target: SQLiteStorageProvider, isWhole: Bool
    ) async throws -> [StorageFinding] {
        var findings: [StorageFinding] = []
        let snapshot = SQLiteSnapshotReader(source)
        if let (sources, lost) = try await whole({ try await snapshot.sources() }) {
            let records = sources.map { record in
                var record = record
                if !isWhole { record.fingerprint = "" }
                return record
            }
            _ = try await target.commit(WriteBatch(sources: records))
            if lost > 0 {
                findings.append(
                    .damage("sources", "\(lost) records are lost; the next ingest looks at each anew"))
            }
        } else {
            findings.append(.damage("sources", "their records are lost; the next ingest looks at each anew"))
        }
        if let clustering = try await whole({ try await snapshot.clustering() }) {
            _ = try await target.commit(
                WriteBatch(
                    clustering: .init(
                        run: clustering.run, clusters: clustering.clusters,
                        assignments: clustering.assignments)))
            if clustering.lost > 0 {
                findings.append(
                    .damage(
                        "clusters", "\(clustering.lost) clusters and assignments are lost; `roost recluster`")
                )
            }
        } else {
            findings.append(.damage("clusters", "are lost; `roost recluster` makes new ones"))
        }
        let meta = try await whole { try await source.read { try Meta($0) } }
        if meta == nil { findings.append(.damage("meta", "the store's identity is lost; it has a new one")) }
        try await target.pool.write { database in
            var own = try Meta(database)
            own.entryCount = nil
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

    /// The rows that are as they were written, and how many are not.
    private func rows<Value>(
        _ sql: String, _ database: Database, _ value: (Row) throws -> Value
    ) throws -> ([Value], lost: Int) {
        let rows = try Row.fetchAll(database, sql: sql)
        var values: [Value] = []
        for row in rows {
            do {
                values.append(try value(row))
            } catch  where SQLiteStorageProvider.isDamage(error) {}
        }
        return (values, rows.count - values.count)
    }

    func sources() async throws -> ([Source], lost: Int) {
        try await source.read { database in
            try rows(
                "SELECT \(SQLiteSnapshot.sourceColumns) FROM sources ORDER BY id", database,
                SQLiteSnapshot.source)
        }
    }

    func clustering() async throws -> (
        run: ClusteringRun?, clusters: [Cluster], assignments: [Assignment], lost: Int
    ) {
        try await source.read { database in
            let clusters = try rows(ClusterRows.clusterSelection, database, ClusterRows.cluster)
            let known = Set(clusters.0.map(\.id))
            let all = try rows(
                "\(ClusterRows.selection) ORDER BY a.row", database, ClusterRows.assignment)
            let assignments = all.0.filter { $0.cluster.map(known.contains) != false }
            var run: ClusteringRun?
            do {
                run = try Meta(database).run()
            } catch  where SQLiteStorageProvider.isDamage(error) {
                // That the store's own numbers are lost is told where they are copied.
            }
            return (
                run, clusters.0, assignments,
                clusters.lost + all.lost + all.0.count - assignments.count
            )
        }
    }
}
