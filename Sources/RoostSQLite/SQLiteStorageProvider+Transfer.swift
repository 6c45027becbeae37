package import Foundation
import GRDB
import RoostFiles
package import RoostModel
import RoostSQLiteSupport

/// Transfers a complete store from or to another provider, including its rows, revisions and tombstones.
extension SQLiteStorageProvider {
    /// Returns the state of the store. The contents of the entries are not loaded into memory, but read on
    /// demand.
    ///
    /// - Throws: `StorageError`: `.damaged`, `.inputOutput`, `.closed`.
    package func transferableState() async throws -> StoreState {
        guard let snapshot = try await snapshot() as? SQLiteSnapshot else {
            preconditionFailure("this provider returned a snapshot of another type")
        }
        return try await errors.runBlocking { _ in
            let (archive, rows) = try snapshot.database.read { try Self.archive($0) }
            return try StoreState(
                archive, contents: SnapshotContents(snapshot: snapshot, rows: rows))
        }
    }

    /// The contents of entries, which are read one at a time.
    private struct SnapshotContents: EntryContents {
        let snapshot: SQLiteSnapshot
        let rows: [Int64]

        func entry(at index: Int, withVectors: Bool) throws -> Entry {
            try SQLiteStorageProvider.errors(snapshot.connections.url.path).mapping {
                let row = rows[index]
                guard
                    let found = try snapshot.database.read({ try EntryRows($0).entry(in: row) })
                else { throw Column.damaged("no entry in row \(row), which the snapshot lists") }
                try snapshot.connections.readOnly?.check()
                return found
            }
        }
    }

    private static func archive(_ database: Database) throws -> (StoreState.Archive, rows: [Int64]) {
        let meta = try Meta(database)
        var archive = StoreState.Archive(store: meta.store, epoch: meta.epoch, revision: meta.revision)
        archive.horizon = meta.horizon
        let entries = try Row.fetchCursor(
            database,
            sql: """
                SELECT e.row, e.id, e.revision, e.ordinal, e.dimension, e.digest, e.source,
                    \(Checksum.entries.matches("e"))
                FROM entries e ORDER BY e.row
                """)
        var rows: [Int64] = []
        while let row = try entries.next() {
            try Checksum.check(row, 7, "an entry")
            rows.append(try row.value(0))
            archive.records.append(
                ArchivedEntries.Record(
                    id: try Column.uuid(row.value(1)), row: try Column.row(row.value(0)),
                    position: ChangePosition(
                        revision: Revision(rawValue: try row.value(2)), ordinal: try row.value(3)),
                    dimension: try row.value(4),
                    digest: ContentDigest(bytes: Array(try row.value(5) as Data)),
                    source: try (row.value(6) as Data?).map(Column.text)))
        }
        let last = try Int.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'entries'")
        // A manipulated database can contain any number.
        guard let highest = UInt32(exactly: max(last ?? 0, rows.last.map { Int($0) } ?? 0)) else {
            throw Column.damaged("a highest row number that is out of range")
        }
        archive.nextRow = Int(highest) + 1
        let removals = try Row.fetchAll(
            database,
            sql: """
                SELECT id, revision, ordinal, removed, \(Checksum.tombstones.matches("tombstones"))
                FROM tombstones ORDER BY revision, ordinal
                """)
        archive.removals = try removals.map { row in
            try Checksum.check(row, 4, "a removal")
            return .init(
                id: try Column.uuid(row.value(0)),
                position: ChangePosition(
                    revision: Revision(rawValue: try row.value(1)), ordinal: try row.value(2)),
                removedAt: Date(milliseconds: try row.value(3)))
        }
        archive.sources = try Row.fetchAll(
            database, sql: "SELECT \(SQLiteSnapshot.sourceColumns) FROM sources ORDER BY id"
        ).map(SQLiteSnapshot.source)
        archive.clusters = try ClusterRows.records(database)
        archive.assignments = try ClusterRows.assignments(database)
        archive.run = try meta.run()
        if meta.clustersRevision > .zero {
            archive.clustersPosition = ChangePosition(
                revision: meta.clustersRevision, ordinal: meta.clustersOrdinal)
        }
        return (archive, rows)
    }

    /// Writes a state into a database. The database must be empty or contain the beginning of the same state
    /// from an interrupted call; in the latter case, the method resumes.
    ///
    /// - Parameter progress: Called after each commit with the number of entries that the database contains.
    package static func fill(
        databaseURL: URL, options: Options, from state: StoreState,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        let target = try await SQLiteStorageProvider(databaseURL: databaseURL, options: options)
        do {
            try await target.fill(from: state, progress)
        } catch {
            try? await target.close()
            throw error
        }
        try await target.close()
    }

    /// The number of entries in each transaction of a transfer. It is large enough to make the cost of a
    /// commit negligible, and small enough to limit both memory use and the work that is lost if the transfer
    /// is interrupted.
    private static let fillBatchSize = 1000

    private func fill(from state: StoreState, _ progress: @escaping @Sendable (Int) -> Void) async throws {
        try await errors.runBlocking { isCancelled in
            let lock = try FileLock.acquire(
                lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
            defer { lock.release() }
            let pool = try connections.openedWriter()
            let last = try pool.read { try Int64.fetchOne($0, sql: "SELECT max(row) FROM entries") } ?? -1
            var count = 0
            var waiting: [(ArchivedEntries.Record, Entry)] = []
            func write() throws {
                if isCancelled() { throw CancellationError() }
                try pool.write { database in
                    var writer = try BatchWriter(database)
                    for (record, entry) in waiting { try writer.restore(entry, record) }
                }
                waiting = []
                try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
                progress(count)
            }
            for archivable in state.archivableEntries {
                count += 1
                guard Int64(archivable.record.row) > last else { continue }
                waiting.append((archivable.record, try state.entry(of: archivable)))
                if waiting.count == Self.fillBatchSize { try write() }
            }
            try write()
            try pool.write { database in
                var writer = try BatchWriter(database)
                try writer.restoreRest(of: state.archive)
            }
        }
    }
}
