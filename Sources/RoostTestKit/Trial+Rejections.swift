import Foundation
import RoostModel
import RoostVectors

/// Checks of the laws about invalid input, unusual text, cancellation and closed handles.
extension Trial {
    func invalidBatchesAreRejected() async throws {
        let kept = entry(0)
        try await store.saveEntry(kept)
        let before = try await StorageContents(store)
        func with(_ change: (inout Entry) -> Void) -> WriteBatch {
            WriteBatch(upserts: [entry(2), changing(entry(1), change)])
        }
        let deep = (0..<100).reduce(MetadataValue.integer(1)) { value, _ in .array([value]) }
        let cluster = Cluster(label: "c")
        func passage(_ range: Range<Int>, _ vector: [Float]) -> Passage {
            Passage(ordinal: 0, utf8Range: range, vector: vector)
        }
        let batches: [(String, WriteBatch)] = [
            ("a vector with NaN", with { $0.embeddings[0] = .nan }),
            ("an infinite vector", with { $0.embeddings[0] = .infinity }),
            ("a passage outside the text", with { $0.passages = [passage(0..<1000, $0.embeddings)] }),
            ("a passage of another dimension", with { $0.passages = [passage(0..<1, [1])] }),
            ("the structure of another text", with { $0.structure = TextStructure(blocks: [0..<1000]) }),
            ("metadata that is not finite", with { $0.metadata = ["n": .number(.nan)] }),
            ("metadata that is nested 100 levels deep", with { $0.metadata = ["n": deep] }),
            ("a date before the year 1", with { $0.createdAt = Date(milliseconds: -70_000_000_000_000) }),
            ("a date after the year 9999", with { $0.updatedAt = Date(milliseconds: .max / 4) }),
            ("a batch that contains an entry twice", WriteBatch(upserts: [entry(3), kept, kept])),
            (
                "a source that occurs twice",
                WriteBatch(sources: ["1", "2"].map { Source(id: "s", fingerprint: $0) })
            ),
            ("a batch that contains a cluster twice", WriteBatch(clusters: [cluster, cluster])),
            (
                "a batch that assigns and unassigns an entry",
                WriteBatch(
                    clusters: [cluster],
                    assignments: [Assignment(entry: kept.id, target: .cluster(cluster.id))],
                    unassignments: [kept.id])
            ),
            (
                "a similarity that is not finite",
                WriteBatch(
                    clusters: [cluster],
                    assignments: [
                        Assignment(entry: kept.id, target: .cluster(cluster.id), similarity: .infinity)
                    ])
            ),
            ("a centroid with NaN", WriteBatch(clusters: [Cluster(label: "", centroid: [.nan])])),
            (
                "an assignment to a missing cluster",
                WriteBatch(
                    upserts: [entry(1)], removals: [UUID()], sources: [Source(id: "s", fingerprint: "")],
                    clusters: [cluster], assignments: [Assignment(entry: kept.id, target: .cluster(UUID()))])
            ),
        ]
        for (name, batch) in batches + countsOutOfRange(before) {
            try await requireError(.invalidBatch, name) { _ = try await store.commit(batch) }
            try requireSame(try await StorageContents(store), before, "the store after \(name)")
        }
    }

    private func countsOutOfRange(_ contents: StorageContents) -> [(String, WriteBatch)] {
        func with(_ change: (inout Cluster) -> Void) -> WriteBatch {
            WriteBatch(clusters: [changing(Cluster(label: "c"), change)])
        }
        let origin = Cluster.Origin(cluster: UUID(), label: "", size: -1, remaining: 0, shared: 0)
        let pin = changing(Cluster.LabelPin(of: [])) { $0.size = .max }
        let stamp = Stamp(
            store: UUID(), epoch: UUID(), revision: contents.revision, entryCount: -1, clusterCount: 0)
        var run = ClusteringRun(algorithm: "a", seed: 0, stamp: stamp)
        let negative = WriteBatch.Clustering(run: run, clusters: [], assignments: [])
        run.stamp.entryCount = 0
        run.vanished = [origin]
        return [
            ("a negative number of members of an earlier cluster", with { $0.origins = [origin] }),
            ("a number of labeled members above 2^32", with { $0.labelPin = pin }),
            ("a run over a negative number of entries", WriteBatch(clustering: negative)),
            (
                "a run in which a cluster with a negative number of members vanished",
                WriteBatch(clustering: .init(run: run, clusters: [], assignments: []))
            ),
        ]
    }

    func unusualNamesAreAccepted() async throws {
        // The last two are equal after Unicode normalization, so each of them finds both tags.
        let names = [
            "../../etc/passwd", "a\0b", "/", "..", "\u{202E}", "'; DROP TABLE entries; --", "\"", "%s%n",
            "caf\u{E9}", "cafe\u{301}",
        ]
        let entries = names.enumerated().map { number, name in
            changing(entry(number, name)) {
                ($0.source, $0.key, $0.tags) = (name, name, [name])
                $0.metadata = [name: .string(name)]
            }
        }
        let sources = names.map {
            Source(id: $0, fingerprint: $0, ingestedAt: Date(milliseconds: 1_700_000_000_000))
        }
        _ = try await store.commit(WriteBatch(upserts: entries, sources: sources))
        let snapshot = try await store.snapshot()
        try requireEqual(try await store.fetchEntries(), entries, "the entries")
        for (entry, name) in zip(entries, names) {
            for filter in [EntryFilter(sources: [name]), EntryFilter(metadata: [name: name])] {
                let found = try await snapshot.entries(after: nil, limit: 100, matching: filter).entries
                try requireEqual(found, [entry], "the entries matching \(name.debugDescription)")
                try requireEqual(try await snapshot.rows(matching: filter).count, 1, "the number of rows")
            }
            let tag = EntryFilter(tags: [name])
            let tagged = try await snapshot.entries(after: nil, limit: 100, matching: tag).entries
            try requireEqual(
                tagged, entries.filter { tag.matches($0, assigned: nil) },
                "the entries with the tag \(name.debugDescription)")
            try require(tagged.contains(entry), "the tag \(name.debugDescription) does not find its entry")
            try requireEqual(
                try await snapshot.sources([name]).map(\.entryIDs), [[entry.id]], "the entries of a source")
        }
        try await store.saveEntry(changing(entries[8]) { $0.tags = entries[9].tags })
        try require(
            try await store.snapshot().stamp.revision > snapshot.stamp.revision,
            "a tag that differs only in normalization was not saved")
        var large = entry(50)
        large.metadata = ["text": .string(String(repeating: "larger than life ", count: 600_000))]
        try await store.saveEntry(large)
        try requireEqual(
            try await store.snapshot().entries([large.id]), [large], "an entry with ten megabytes of metadata"
        )
    }

    func commitIsCancelledOrComplete() async throws {
        let before = try await store.snapshot().stamp
        let entry = entry(0)
        try await requireCancellation("a commit") { _ = try await store.commit(WriteBatch(upserts: [entry])) }
        try await requireCancellation("a new epoch") { _ = try await store.renewEpoch() }
        try requireEqual(
            try await store.snapshot().stamp, before, "the stamp after the calls of canceled tasks")
        for round in 0..<40 {
            let entries = (0..<50).map { self.entry(round * 50 + $0) }
            let task = Task { try await store.commit(WriteBatch(upserts: entries)) }
            try await Task.sleep(for: .microseconds(round * 150))
            task.cancel()
            let result = await task.result
            let found = try await store.snapshot().entries(entries.map(\.id))
            switch result {
            case .success: try requireEqual(found, entries, "the entries of a commit that returned")
            case .failure(let error):
                try require(
                    error is CancellationError,
                    "a canceled commit threw \(error) instead of CancellationError")
                try requireEqual(found.count, 0, "the number of entries of a canceled commit")
            }
        }
    }

    func closedHandleRejectsCalls() async throws {
        let kept = entry(0)
        try await store.saveEntry(kept)
        let handle = try await fixture.open()
        let snapshot = try await handle.snapshot()
        try await handle.close()
        try await handle.close()
        try await requireError(.closed, "a commit after the close") { try await handle.saveEntry(entry(1)) }
        try await requireError(.closed, "a snapshot after the close") { _ = try await handle.snapshot() }
        try await requireError(.closed, "changes after the close") {
            _ = try await handle.changes(after: .start, limit: 1)
        }
        try await requireError(.closed, "a new epoch after the close") { try await handle.renewEpoch() }
        try requireEqual(try await snapshot.entries([kept.id]), [kept], "the entries of an earlier snapshot")
        try requireEqual(try await store.fetchEntries(), [kept], "the entries that another handle sees")
    }

    func closingLosesNoCommits() async throws {
        let handle = try await fixture.open()
        let (writers, commits) = (8, 20)
        let entries = (0..<writers * commits).map { entry($0) }
        let saved = try await concurrently(writers) { writer in
            var saved: [Entry.ID] = []
            do {
                for entry in entries[writer * commits..<(writer + 1) * commits] {
                    try await handle.saveEntry(entry)
                    saved.append(entry.id)
                    // Other writers still have commits to make.
                    if writer == 0, saved.count == commits / 4 { try await handle.close() }
                }
            } catch let error as StorageError where error.code == .closed {}
            return saved
        }.flatMap(\.self)
        try requireEqual(
            Set(try await store.fetchEntries().map(\.id)), Set(saved),
            "the ids of the entries whose commits returned")
        try require(
            saved.count >= commits / 4 && saved.count < entries.count, "\(saved.count) commits returned")
    }

    func clusteringIsReplacedAtomically() async throws {
        let entries = (0..<6).map { entry($0) }
        try await store.saveEntries(entries)
        func clustering(_ label: String, _ count: Int) -> WriteBatch {
            let clusters = (0..<count).map { Cluster(label: "\(label) \($0)") }
            let assignments = entries.enumerated().map {
                Assignment(entry: $0.element.id, target: .cluster(clusters[$0.offset % count].id))
            }
            return WriteBatch(clustering: .init(run: nil, clusters: clusters, assignments: assignments))
        }
        _ = try await store.commit(clustering("first", 3))
        let (_, cursor) = try await changes(after: .start, limit: 100)
        let snapshot = try await store.snapshot()
        _ = try await store.commit(clustering("second", 2))
        let clusters = try await store.fetchClusters()
        try requireEqual(clusters.map(\.label), ["second 0", "second 1"], "the clusters")
        try requireEqual(clusters.map(\.members.count), [3, 3], "the numbers of their members")
        try requireEqual(
            try await snapshot.clusters().map(\.members.count), [2, 2, 2],
            "the numbers of members in an earlier snapshot")
        let (later, _) = try await changes(after: cursor, limit: 100)
        try requireEqual(later.map(\.kind), [.clustersReplaced(nil)], "the changes")
    }
}
