import Foundation
import RoostFiles
import RoostModel

/// Checks of the laws about readers and writers that work while others change the store, and about batches
/// whose parts concern the same objects.
extension Trial {
    func removalsPrecedeUpserts() async throws {
        let entries = (0..<4).map { entry($0) }
        let date = Date(milliseconds: 1_700_000_000_000)
        _ = try await store.commit(
            WriteBatch(
                upserts: Array(entries[..<3]),
                sources: [Source(id: "s", fingerprint: "old", ingestedAt: date)]))
        try await store.updateCluster(Cluster(label: "c", members: [entries[0].id]))
        let (_, cursor) = try await changes(after: .start, limit: 100)
        _ = try await store.commit(
            WriteBatch(
                upserts: [entries[0], entries[3]], removals: [entries[0].id, UUID(), entries[0].id],
                sources: [Source(id: "s", fingerprint: "new", ingestedAt: date)], removedSources: ["s"]))
        try requireEqual(
            try await store.fetchEntries(), [entries[1], entries[2], entries[0], entries[3]],
            "the entries after one of them was removed twice and added again in one batch")
        let snapshot = try await store.snapshot()
        try requireEqual(
            try await snapshot.assignments(of: nil).count, 0, "the number of assignments of a removed entry")
        try requireEqual(
            try await snapshot.sources().map(\.fingerprint), ["new"],
            "the fingerprint of a source that was removed and added again in one batch")
        for limit in [1, 100] {
            let (later, _) = try await changes(after: cursor, limit: limit)
            try requireEqual(
                later.map(\.kind), [.upserted(entries[0].id), .upserted(entries[3].id)],
                "the changes in pages of \(limit)")
        }
    }

    func optimisticWritersLoseNoUpdates() async throws {
        let (writers, steps) = (4, 10)
        let other = fixture.level >= .durable ? try await fixture.open() : store
        let counter = entry(0, "0")
        try await store.saveEntry(counter)
        try await concurrently(writers) { writer in
            let handle = writer.isMultiple(of: 2) ? store : other
            for _ in 0..<steps {
                // The change is made again after each conflict with another writer.
                try await handle.commitChange { snapshot in
                    let revisions = try await snapshot.revisions(of: [counter.id])
                    let next = try await snapshot.entries([counter.id]).map { entry in
                        changing(entry) { $0.content = "\((Int(entry.content) ?? 0) + 1)" }
                    }
                    return (WriteBatch(upserts: next, expecting: .init(entries: revisions)), ())
                }
            }
        }
        try requireEqual(
            try await store.fetchEntries().map(\.content), ["\(writers * steps)"],
            "the counter that \(writers) writers incremented \(steps) times each")
        if fixture.level >= .durable { try await other.close() }
    }

    func concurrentReaderMissesNoChange() async throws {
        let (rounds, count) = (40, 5)
        let isDone = ConcurrentFlag()
        try await concurrently(2) { task in
            guard task == 0 else {
                // Each round adds entries and removes one of the previous round.
                for round in 0..<rounds {
                    let numbers = round * count..<(round + 1) * count
                    _ = try await store.commit(
                        WriteBatch(
                            upserts: numbers.map { StorageJob.entry($0, "round \(round)") },
                            removals: round > 0 ? [StorageJob.id(numbers.lowerBound - 1)] : []))
                }
                return isDone.set()
            }
            var follower = ChangeFollower(store)
            var isComplete = false
            while !isComplete {
                // Everything was committed before this page is read.
                let isLastPass = isDone.isSet
                let isAtEnd = try await follower.readPage(limit: 3).isLast
                isComplete = isLastPass && isAtEnd
                if isAtEnd { await Task.yield() }
            }
            let expected = (0..<rounds * count).filter { $0 % count != count - 1 || $0 == rounds * count - 1 }
            try requireEqual(
                follower.ids, Set(expected.map(StorageJob.id)),
                "the entries that a reader of the change feed knows")
        }
    }

    func heldSnapshotsOutliveNewEpochs() async throws {
        let entries = (0..<7).map { entry($0) }
        try await store.saveEntries(entries)
        try await store.updateCluster(Cluster(label: "c", members: [entries[1].id, entries[6].id]))
        let snapshot = try await store.snapshot()
        let contents = try await StorageContents(snapshot, pageSize: 3)
        var pages = snapshot.entryPages(pageSize: 2).makeAsyncIterator()
        var found = try await pages.next()?.entries ?? []
        // Another reader is between two pages while everything changes.
        try await store.deleteEntry(entries[3].id)
        try await store.updateCluster(Cluster(label: "later", members: [entries[2].id]))
        try await store.compact()
        let replaced = try await store.fetchEntries().map {
            changing($0) { ($0.content, $0.embeddings) = ("replaced", [0, 1]) }
        }
        _ = try await store.commit(WriteBatch(upserts: replaced, newEpoch: UUID()))
        try await store.renewEpoch()
        try await store.compact()
        while let page = try await pages.next() { found += page.entries }
        try requireEqual(found, entries, "the entries of a snapshot that was read across a new epoch")
        try requireSame(try await StorageContents(snapshot, pageSize: 1), contents, "the snapshot")
        try requireEqual(try await store.fetchEntries(), replaced, "the entries of the store")
    }
}
