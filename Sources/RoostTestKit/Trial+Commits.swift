import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// Checks of the laws about commits, snapshots and the change feed.
extension Trial {
    func expectationsAreChecked() async throws {
        let first = entry(0)
        let revision = try await store.commit(WriteBatch(upserts: [first]))
        try requireEqual(
            try await store.snapshot().revisions(of: [first.id, UUID()]), [first.id: revision],
            "the revisions")
        let changed = changing(first) { $0.content = "changed" }
        _ = try await store.commit(
            WriteBatch(upserts: [changed], expecting: .init(entries: [first.id: revision])))
        try await requireError(.conflict, "an expected revision of an entry that has changed since") {
            _ = try await store.commit(
                WriteBatch(upserts: [first], expecting: .init(entries: [first.id: revision])))
        }
        let untouched = try await StorageContents(store)
        try await requireError(.conflict, "an expected absence of an entry that is stored") {
            _ = try await store.commit(
                WriteBatch(
                    upserts: [first, entry(7)], removals: [first.id],
                    sources: [Source(id: "s", fingerprint: "f")], clusters: [Cluster(label: "c")],
                    assignments: [Assignment(entry: first.id, target: .outlier(.distant))],
                    expecting: .init(entries: [first.id: .zero])))
        }
        // An expectation is checked even if there is nothing to write.
        try await requireError(.conflict, "an empty batch with an expectation that is not met") {
            _ = try await store.commit(WriteBatch(expecting: .init(entries: [first.id: .zero])))
        }
        try requireSame(try await StorageContents(store), untouched, "the store after a conflict")
        let new = entry(1)
        _ = try await store.commit(WriteBatch(upserts: [new], expecting: .init(entries: [new.id: .zero])))
        try requireEqual(try await store.fetchEntries(), [changed, new], "the entries")
    }

    func concurrentClusteringsConflict() async throws {
        let member = entry(0)
        try await store.saveEntry(member)
        let seen = try await store.snapshot().clustersRevision()
        func clustering(_ label: String) -> WriteBatch {
            let cluster = Cluster(label: label)
            return WriteBatch(
                clustering: .init(
                    run: nil, clusters: [cluster],
                    assignments: [Assignment(entry: member.id, target: .cluster(cluster.id))]),
                expecting: .init(clusters: seen))
        }
        _ = try await store.commit(clustering("first"))
        try await requireError(.conflict, "the second of two clusterings of the same state") {
            _ = try await store.commit(clustering("second"))
        }
        try requireEqual(try await store.fetchClusters().map(\.label), ["first"], "the clusters")
        // Saving and removing entries does not change the revision of the clusters.
        let after = try await store.snapshot().clustersRevision()
        try await store.saveEntry(entry(1))
        try await store.deleteEntry(member.id)
        try requireEqual(try await store.snapshot().clustersRevision(), after, "the revision of the clusters")
    }

    func commitIsIdempotent() async throws {
        let entries = (0..<3).map { entry($0) }
        let cluster = Cluster(label: "c")
        let batch = WriteBatch(
            upserts: entries, removals: [UUID()],
            sources: [Source(id: "s", fingerprint: "f", ingestedAt: Date(milliseconds: 1))],
            clustering: .init(
                run: nil, clusters: [cluster],
                assignments: [Assignment(entry: entries[0].id, target: .cluster(cluster.id))]))
        let revision = try await store.commit(batch)
        let (_, cursor) = try await changes(after: .start, limit: 100)
        try requireEqual(try await store.commit(batch), revision, "the revision of a repeated batch")
        try requireEqual(try await store.commit(WriteBatch()), revision, "the revision of an empty batch")
        let (later, _) = try await changes(after: cursor, limit: 100)
        try requireEqual(later.count, 0, "the number of changes by a repeated batch")
    }

    func revisionsIncrease() async throws {
        try requireEqual(try await store.snapshot().stamp.revision, .zero, "the revision of a new store")
        var last = Revision.zero
        for number in 0..<10 {
            let revision = try await store.commit(WriteBatch(upserts: [entry(number)]))
            try require(revision > last, "revision \(revision) follows revision \(last)")
            try requireEqual(
                try await store.snapshot().stamp.revision, revision, "the revision of the snapshot")
            last = revision
        }
    }

    func changesAreCompleteAndOrdered() async throws {
        var entries = (0..<20).map { entry($0) }
        try await store.saveEntries(entries)
        let (first, cursor) = try await changes(after: .start, limit: 3)
        try requireEqual(first.map(\.kind), entries.map { .upserted($0.id) }, "the first changes")
        try requireEqual(Set(first.map(\.revision)).count, 1, "the number of revisions of one batch")
        entries[3].content = "changed"
        try await store.saveEntry(entries[3])
        try await store.deleteEntry(entries[5].id)
        try await store.deleteEntry(entries[6].id)
        try await store.saveEntry(entries[6])
        let cluster = Cluster(label: "c", members: [entries[0].id])
        try await store.updateCluster(cluster)
        let expected: [Change.Kind] = [
            .upserted(entries[3].id), .removed(entries[5].id), .upserted(entries[6].id),
            .clustersReplaced(nil),
        ]
        for limit in [1, 2, 100] {
            let (later, _) = try await changes(after: cursor, limit: limit)
            try requireEqual(later.map(\.kind), expected, "the later changes in pages of \(limit)")
            let order = later.map { ($0.revision, $0.ordinal) }
            try require(zip(order, order.dropFirst()).allSatisfy { $0 < $1 }, "the changes are out of order")
        }
        let (all, _) = try await changes(after: .start, limit: 7)
        try requireEqual(all.count, 21, "the number of changes from the start")
    }

    func newEpochRequiresReset() async throws {
        try await store.saveEntries((0..<3).map { entry($0) })
        let before = try await store.snapshot().stamp
        let (_, cursor) = try await changes(after: .start, limit: 100)
        let renewed = try await store.renewEpoch()
        try require(renewed.epoch != before.epoch, "the epoch was not renewed")
        try requireEqual(renewed.store, before.store, "the id of the store")
        try require(
            renewed.revision > before.revision, "revision \(renewed.revision) follows \(before.revision)")
        try requireEqual(try await store.snapshot().stamp, renewed, "the stamp in the new epoch")
        try requireEqual(
            try await store.changes(after: cursor, limit: 10), .resetRequired,
            "the page after a cursor of the earlier epoch")
        let (all, current) = try await changes(after: .start, limit: 100)
        try requireEqual(all.count, 3, "the number of changes from the start")
        // An older copy of the store has not reached the revision of the reader's cursor.
        var ahead = current
        ahead.revision = Revision(rawValue: current.revision.rawValue + 5)
        try requireEqual(
            try await store.changes(after: ahead, limit: 10), .resetRequired,
            "the page after a cursor of a future revision")
    }

    func batchCanBeginNewEpoch() async throws {
        let entries = (0..<3).map { entry($0) }
        let cluster = Cluster(label: "c", members: [entries[1].id])
        try await store.saveEntries(entries)
        try await store.updateCluster(cluster)
        let before = try await store.snapshot()
        let (_, cursor) = try await changes(after: .start, limit: 100)
        let epoch = UUID()
        // This batch also changes the dimension, which is allowed because the batch replaces all vectors.
        let moved = WriteBatch(
            upserts: entries.map { changing($0) { $0.embeddings = [0, 0, 0, 0, 0, 1] } }, newEpoch: epoch,
            expecting: .init(epoch: before.stamp.epoch, revision: before.stamp.revision))
        let other = entry(3)
        try await store.saveEntry(other)
        let untouched = try await StorageContents(store)
        try await requireError(.conflict, "a batch that expects an earlier revision") {
            _ = try await store.commit(moved)
        }
        try requireSame(try await StorageContents(store), untouched, "the store after a conflict")
        try await store.deleteEntry(other.id)
        var batch = moved
        batch.expecting.revision = try await store.snapshot().stamp.revision
        let revision = try await store.commit(batch)
        let after = try await store.snapshot()
        try requireEqual(after.stamp.epoch, epoch, "the epoch")
        try requireEqual(after.stamp.store, before.stamp.store, "the id of the store")
        try requireEqual(after.stamp.revision, revision, "the revision")
        try requireEqual(try await store.fetchEntries(), moved.upserts, "the entries")
        try requireEqual(
            try await after.clusters().map(\.members), [[entries[1].id]], "the members of the cluster")
        try requireEqual(
            try await store.changes(after: cursor, limit: 10), .resetRequired,
            "the page after a cursor of the earlier epoch")
        try await requireError(.conflict, "a batch that expects the earlier epoch") {
            _ = try await store.commit(
                WriteBatch(upserts: [moved.upserts[0]], expecting: .init(epoch: before.stamp.epoch)))
        }
        var repeated = batch
        repeated.expecting = .init(epoch: epoch)
        try requireEqual(try await store.commit(repeated), revision, "the revision of a repeated batch")
    }

    func requireCancellation(
        _ subject: String, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await body()
        }
        try await RoostTestKit.requireError(subject, as: CancellationError.self) {
            try await task.value
        }
    }

    func concurrentWritersLoseNoUpdates() async throws {
        let other = fixture.level >= .durable ? try await fixture.open() : store
        let all = (0..<160).map { entry($0) }
        try await store.saveEntry(all[0])
        try requireEqual(try await other.fetchEntries(), [all[0]], "the entries that the other handle sees")
        try await concurrently(8) { writer in
            let handle = writer.isMultiple(of: 2) ? store : other
            for number in 0..<20 { try await handle.saveEntry(all[writer * 20 + number]) }
        }
        let found = try await store.fetchEntries()
        try requireEqual(
            Set(found.map(\.id)), Set(all.map(\.id)), "the ids of the entries that 8 writers saved")
        try requireEqual(try await other.fetchEntries(), found, "the entries that the other handle sees")
        try require(
            try await store.snapshot().stamp.revision.rawValue >= 160,
            "there are fewer revisions than commits")
        if fixture.level >= .durable { try await other.close() }
    }

    func concurrentReadersSeeOnlyCompleteBatches() async throws {
        let count = 20
        let isDone = ConcurrentFlag()
        try await concurrently(3) { task in
            guard task == 0 else {
                _ = try await readRounds(of: count, until: isDone)
                return
            }
            defer { isDone.set() }
            for round in 0...50 {
                let entries = (0..<count).map { StorageJob.entry($0, "round \(round)") }
                _ = try await store.commit(WriteBatch(upserts: entries))
            }
        }
    }

    /// Reads entries that another task or process replaces together until it is done, and requires that all of them are
    /// from one round, which is not before the round of the previous snapshot.
    ///
    /// - Parameter continues: Called with the rounds that were seen so far, after each snapshot.
    /// - Returns: The number of rounds that were seen.
    func readRounds(
        of count: Int, until isDone: ConcurrentFlag,
        _ continues: (Int) async throws -> Void = { _ in await Task.yield() }
    ) async throws -> Int {
        var (rounds, last) = (Set<Int>(), -1)
        while true {
            try Task.checkCancellation()
            // The flag is read before the snapshot is taken, so the last snapshot is of the end.
            let wasDone = isDone.isSet
            let entries = try await store.snapshot().entries((0..<count).map(StorageJob.id))
            let contents = Set(entries.map(\.content))
            let round = contents.first.flatMap { Int($0.dropFirst("round ".count)) } ?? -1
            try require(
                [0, count].contains(entries.count) && contents.count <= 1 && round >= last,
                "after round \(last), a reader saw \(entries.count) of \(count) entries, from "
                    + "\(contents.sorted())")
            last = round
            if round >= 0 { rounds.insert(round) }
            try await continues(rounds.count)
            if wasDone { return rounds.count }
        }
    }
}
