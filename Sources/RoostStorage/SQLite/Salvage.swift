import Foundation
import GRDB
import RoostFiles
import RoostModel

/// Copies the intact rows of a damaged database into a new one.
struct Salvage {
    let url: URL
    let options: SQLiteStorageProvider.Options

    /// The number of entries per commit. It limits memory use, and makes the cost of a commit negligible.
    private static let batchSize = 500

    func run(into target: SQLiteStorageProvider) async throws -> [StorageFinding] {
        // Rows have their own checksums, so the intact rows of a damaged page can be recovered.
        let configuration = SQLiteStorageProvider.configuration(options, verifyingPages: .off)
        // SQLite would create a missing file.
        guard FileManager.default.fileExists(atPath: url.path) else { throw unreadable }
        let source = try await intact {
            try await BlockingWork.run { [url] _ in
                try DatabaseQueue(path: url.path, configuration: configuration)
            }
        }
        guard let source else { throw unreadable }
        let rows = try await source.unsafeRead { try Self.rowNumbers($0) }
        let (kept, withoutVectors) = try await copyEntries(from: source, rows, to: target)
        // A store without entries is intact if its highest row number shows that it never had any.
        if kept == 0 {
            guard let highest = try await highestRow(source), highest <= 0 else { throw unreadable }
        }
        var findings: [StorageFinding] = [.note("entries", "\(kept) were recovered")]
        if withoutVectors > 0 {
            findings.append(
                .damage(
                    "vectors",
                    "\(withoutVectors) of the entries were recovered without their vectors; editing an "
                        + "entry, or ingesting its source again, creates them again"))
        }
        let lost = try await countLost(source, kept)
        if let lost, lost > 0 { findings.append(.damage("entries", "\(lost) were lost")) }
        findings += try await copyRest(source, to: target, isComplete: withoutVectors == 0 && lost == 0)
        return findings
    }

    /// Queries for the row numbers of entries in different trees of pages. Each tree is read from both ends
    /// up to the first damaged page, so that most of the intact rows are found.
    private static let rowQueries = [
        "SELECT row FROM entries NOT INDEXED ORDER BY row",
        "SELECT row FROM entries INDEXED BY entries_change ORDER BY revision",
        "SELECT row FROM entries INDEXED BY entries_digest ORDER BY digest",
        "SELECT row FROM vectors ORDER BY row",
        "SELECT row FROM passages ORDER BY row",
        "SELECT row FROM entry_tags INDEXED BY entry_tags_row ORDER BY row",
        "SELECT row FROM entry_metadata INDEXED BY entry_metadata_row ORDER BY row",
    ]

    private static func rowNumbers(_ database: Database) throws -> [Int64] {
        var found = Set<Int64>()
        for query in rowQueries {
            for direction in ["", " DESC"] {
                do {
                    let rows = try Int64.fetchCursor(database, sql: query + direction)
                    while let row = try rows.next() { found.insert(row) }
                } catch  where DatabaseErrorMapping.reportsDamage(error) {}
            }
        }
        return found.sorted()
    }

    /// - Parameter rows: The row numbers to examine. Those that no entry has are ignored.
    private func copyEntries(
        from source: DatabaseQueue, _ rows: [Int64], to target: SQLiteStorageProvider
    ) async throws -> (kept: Int, withoutVectors: Int) {
        var (kept, withoutVectors) = (0, 0)
        for start in stride(from: 0, to: rows.count, by: Self.batchSize) {
            try Task.checkCancellation()
            let batch = rows[start..<min(rows.count, start + Self.batchSize)]
            // In a transaction, a row that cannot be read would end the reading of the following ones.
            let found = try await source.unsafeRead { database in
                try batch.compactMap { try Self.entry(in: $0, database) }
            }
            if !found.isEmpty { try await target.saveEntries(found.map(\.entry)) }
            kept += found.count
            withoutVectors += found.count { !$0.isComplete }
        }
        return (kept, withoutVectors)
    }

    /// Returns the entry in a row, with its vectors and passages if these are intact; `nil` if the row does
    /// not exist or cannot be read.
    private static func entry(
        in row: Int64, _ database: Database
    ) throws -> (entry: Entry, isComplete: Bool)? {
        let rows = EntryRows(database)
        do {
            return try rows.entry(in: row).map { ($0, true) }
        } catch  where DatabaseErrorMapping.reportsDamage(error) {}
        do {
            return try rows.entryWithoutVectors(in: row).map { ($0, false) }
        } catch  where DatabaseErrorMapping.reportsDamage(error) {
            return nil
        }
    }

    private var unreadable: StorageError {
        StorageError(
            .damaged, "cannot repair \(url.path): no entry of it can be read", remedy: .restoreBackup)
    }

    /// Returns the result of `body`, or `nil` if `body` finds damage.
    private func intact<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value? {
        try Task.checkCancellation()
        do {
            return try await body()
        } catch  where DatabaseErrorMapping.reportsDamage(error) {
            return nil
        }
    }

    private func highestRow(_ source: DatabaseQueue) async throws -> Int64? {
        var highest: Int64?
        for sql in ["SELECT max(row) FROM entries", "SELECT seq FROM sqlite_sequence WHERE name = 'entries'"]
        {
            let found = try await intact { try await source.read { try Int64.fetchOne($0, sql: sql) } }
            if let found = found ?? nil { highest = max(highest ?? 0, found) }
        }
        return highest
    }

    private func countLost(_ source: DatabaseQueue, _ kept: Int) async throws -> Int? {
        var count = try await intact {
            try await source.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entries NOT INDEXED") }
        }
        // Without some pages of the table, only the recorded count is known.
        if count == nil { count = try await intact { try await source.read { try Meta($0).entryCount } } }
        return (count ?? nil).map { max(0, $0 - kept) }
    }

    /// - Parameter isComplete: Whether all entries were recovered with their vectors. If not, the
    ///   fingerprints of the sources are cleared, so that the next ingest reads every source again.
    private func copyRest(
        _ source: DatabaseQueue, to target: SQLiteStorageProvider, isComplete: Bool
    ) async throws -> [StorageFinding] {
        var findings = try await copySources(source, to: target, isComplete: isComplete)
        findings += try await copyClustering(source, to: target)
        let meta = try await intact { try await source.read { try Meta($0) } }
        if meta == nil { findings.append(.damage("meta", "the id of the store was lost; it has a new one")) }
        try await target.writing { database in
            var own = try Meta(database)
            if let meta {
                own.revision = max(own.revision, meta.revision).next
                own.store = meta.store
            }
            own.epoch = UUID()
            try own.save(database)
        }
        return findings
    }

    private func copySources(
        _ source: DatabaseQueue, to target: SQLiteStorageProvider, isComplete: Bool
    ) async throws -> [StorageFinding] {
        let found = try await intact {
            try await source.read { database in
                try Self.rows(
                    "SELECT \(SQLiteSnapshot.sourceColumns) FROM sources ORDER BY id", database,
                    SQLiteSnapshot.source)
            }
        }
        guard let (sources, lost) = found else {
            return [.damage("sources", "all records were lost; the next ingest reads every source again")]
        }
        let records = sources.map { record in
            var record = record
            if !isComplete { record.fingerprint = "" }
            return record
        }
        _ = try await target.commit(WriteBatch(sources: records))
        guard lost > 0 else { return [] }
        return [
            .damage(
                "sources",
                Count.text(
                    lost, "record was lost; the next ingest reads this source again",
                    "records were lost; the next ingest reads these sources again"))
        ]
    }

    private func copyClustering(
        _ source: DatabaseQueue, to target: SQLiteStorageProvider
    ) async throws -> [StorageFinding] {
        let found = try await intact { try await source.read { try Self.clustering($0) } }
        guard let found else { return [.damage("clusters", "all were lost; cluster the entries again")] }
        _ = try await target.commit(WriteBatch(clustering: found.clustering))
        guard found.lost > 0 else { return [] }
        return [
            .damage(
                "clusters", "\(found.lost) clusters and assignments were lost; cluster the entries again")
        ]
    }

    private static func rows<Value>(
        _ sql: String, _ database: Database, _ value: (ResultRow) throws -> Value
    ) throws -> ([Value], lost: Int) {
        var (values, lost): ([Value], Int) = ([], 0)
        let rows = try ResultRow.fetchCursor(database, sql: sql)
        while let row = try rows.next() {
            do {
                values.append(try value(row))
            } catch  where DatabaseErrorMapping.reportsDamage(error) {
                lost += 1
            }
        }
        return (values, lost)
    }

    private static func clustering(
        _ database: Database
    ) throws -> (clustering: WriteBatch.Clustering, lost: Int) {
        let (clusters, lost) = try rows(ClusterRows.clusterSelection, database, ClusterRows.cluster)
        let known = Set(clusters.map(\.id))
        let all = try rows("\(ClusterRows.selection) ORDER BY a.row", database, ClusterRows.assignment)
        let assignments = all.0.filter { $0.cluster.map(known.contains) != false }
        var run: ClusteringRun?
        do {
            run = try Meta(database).run()
        } catch  where DatabaseErrorMapping.reportsDamage(error) {
            // Damaged properties of the store are reported by `copyRest`.
        }
        return (
            .init(run: run, clusters: clusters, assignments: assignments),
            lost + all.lost + all.0.count - assignments.count
        )
    }
}
