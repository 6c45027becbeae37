package import Foundation
import GRDB
import RoostFiles
package import RoostModel

/// A whole store, out of a database and into one, as it is: with its rows, revisions and removals.
extension SQLiteStorageProvider {
    /// Everything but the entries' contents, which are read from the database when they are asked for.
    ///
    /// - Throws: ``StorageError``: `.damaged`, `.inputOutput`, `.closed`.
    package func transferableState() async throws -> StoreState {
        guard let snapshot = try await snapshot() as? SQLiteSnapshot else {
            preconditionFailure("a snapshot of this provider is its own")
        }
        return try await BlockingWork.run { _ in
            try Self.translating(pool.path) {
                let (archive, rows) = try snapshot.database.read { try Self.archive($0) }
                return try StoreState(
                    archive, contents: SnapshotContents(database: snapshot.database, rows: rows))
            }
        }
    }

    /// The contents of entries, read one by one.
    private struct SnapshotContents: EntryContents {
        let database: DatabaseSnapshot
        let rows: [Int64]

        func entry(at index: Int, withVectors: Bool) throws -> Entry {
            try SQLiteStorageProvider.translating(database.path) {
                let row = rows[index]
                guard
                    let found = try database.read({ try EntryRows($0).entries(rows: [row]).first?.entry })
                else { throw Column.damaged("no entry in row \(row)") }
                return found
            }
        }
    }

    private static func archive(_ database: Database) throws -> (StoreState.Archive, rows: [Int64]) {
        let meta = try Meta(database)
        var archive = StoreState.Archive(store: meta.store, epoch: meta.epoch, revision: meta.revision)
        archive.horizon = meta.horizon
        let places = try Row.fetchCursor(
            database,
            sql: """
                SELECT e.row, e.id, e.revision, e.ordinal, e.dimension, e.digest, e.source,
                    \(Checksum.entries.holds("e"))
                FROM entries e ORDER BY e.row
                """)
        var rows: [Int64] = []
        while let row = try places.next() {
            try Checksum.check(row, 7, "an entry")
            rows.append(try row.value(0))
            archive.places.append(
                ArchivedEntries.Place(
                    id: try Column.uuid(row.value(1)), row: try Column.row(row.value(0)),
                    position: ChangePosition(
                        revision: Revision(rawValue: try row.value(2)), ordinal: try row.value(3)),
                    dimension: try row.value(4),
                    digest: ContentDigest(bytes: Array(try row.value(5) as Data)),
                    source: try (row.value(6) as Data?).map(Column.text)))
        }
        let last = try Int.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'entries'")
        archive.nextRow = max(last ?? 0, rows.last.map { Int($0) } ?? 0) + 1
        let removals = try Row.fetchAll(
            database,
            sql: """
                SELECT id, revision, ordinal, removed, \(Checksum.tombstones.holds("tombstones"))
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
        archive.clusters = try ClusterRows.clusters(database, members: false)
        archive.assignments = try ClusterRows.assignments(database)
        archive.run = try meta.run()
        if meta.clustersRevision > .zero {
            archive.clustersPosition = ChangePosition(
                revision: meta.clustersRevision, ordinal: meta.clustersOrdinal)
        }
        return (archive, rows)
    }

    /// Puts a state into a database that is empty, or has the beginning of the same state from a call that
    /// did not come to its end: it goes on from there.
    ///
    /// - Parameter progress: told after each commit how many entries are there.
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

    private func fill(from state: StoreState, _ progress: @escaping @Sendable (Int) -> Void) async throws {
        try await BlockingWork.run { isCancelled in
            try Self.translating(pool.path) {
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                let last = try pool.read { try Int64.fetchOne($0, sql: "SELECT max(row) FROM entries") } ?? -1
                var count = 0
                var waiting: [(StoreState.Kept, Entry)] = []
                func write() throws {
                    if isCancelled() { throw CancellationError() }
                    try pool.write { database in
                        var writer = try BatchWriter(database)
                        for (kept, entry) in waiting { try writer.restore(entry, kept.place) }
                    }
                    waiting = []
                    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
                    progress(count)
                }
                for kept in state.kept {
                    count += 1
                    guard Int64(kept.place.row) > last else { continue }
                    waiting.append((kept, try state.entry(of: kept)))
                    if waiting.count == 1000 { try write() }
                }
                try write()
                try pool.write { database in
                    var writer = try BatchWriter(database)
                    try writer.restoreRest(of: state.archive)
                }
            }
        }
    }
}
