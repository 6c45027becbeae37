import Foundation
import RoostModel

/// Deletes rows that no snapshot needs.
struct Compaction {
    let store: UUID
    let lifetime: TimeInterval

    /// The number of seconds for which the record of a commit is kept, in which a client whose response was
    /// lost recognizes its batch: one day.
    private static let commitLifetime: TimeInterval = 24 * 3600

    /// Creates a compaction that deletes the rows of snapshots that are older than a number of seconds. The
    /// server's intervals are limited, so a time of more than a century, and `NaN`, count as a century.
    init(store: UUID, keeping lifetime: TimeInterval) {
        let century: TimeInterval = 100 * 365 * 86_400
        self.store = store
        self.lifetime = lifetime < century ? max(0, lifetime) : century
    }

    /// Raises the first readable revision in one transaction, and then deletes rows. A snapshot that reads
    /// while rows are deleted finds that it is no longer readable.
    func run(_ connection: Connection, _ limits: CallLimits) throws {
        let forgotten = Date().addingTimeInterval(-ChangeFeed.tombstoneLifetime)
        let results = try connection.run(
            [
                TableSQL.begin, Head.lockingSelection(store),
                TableSQL.revision(store: store, olderThan: lifetime),
                TableSQL.lastRemoval(store: store, before: forgotten),
            ], limits)
        guard let row = results[1].rows.first else {
            connection.rollBack(limits)
            throw BatchReading.missing
        }
        var head = try Head(row, store: store)
        if let superseded = results[2].rows.first, !superseded.isNull(0) {
            head.readableFrom = max(head.readableFrom, try superseded.revision(0))
        }
        if let removal = results[3].rows.first, !removal.isNull(0) {
            head.horizon = max(head.horizon, try removal.revision(0))
        }
        try limits.check()
        _ = try connection.run([head.update, TableSQL.commit], limits.withoutCancellation)
        try delete(head, connection, limits)
    }

    private func delete(_ head: Head, _ connection: Connection, _ limits: CallLimits) throws {
        let readable = Int64(head.readableFrom.rawValue)
        // Deleting the rows of a large store takes longer than waiting for a lock may take.
        let limits = CallLimits(CallLimits.callTimeout, isCancelled: limits.isCancelled)
        for table in Table.versioned {
            _ = try connection.run(
                TableSQL.deleteVersions(table, store: store, upTo: readable), limits)
        }
        _ = try connection.run(
            [
                TableSQL.deleteRemovals(store: store, upTo: Int64(head.horizon.rawValue)),
                TableSQL.deleteCommits(store: store, upTo: readable, olderThan: Self.commitLifetime),
            ], limits)
    }
}
