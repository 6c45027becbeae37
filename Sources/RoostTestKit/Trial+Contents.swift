import Foundation
import RoostModel
import RoostVectors

/// Checks of the laws about storing data and reading it.
extension Trial {
    func savedEntriesCanBeFetched() async throws {
        try requireEqual(try await store.fetchEntries().count, 0, "the number of entries of a new store")
        let entries = (0..<5).map { entry($0) }
        try await store.saveEntry(entries[0])
        try await store.saveEntries(Array(entries[1...]))
        try requireEqual(try await store.fetchEntries(), entries, "the entries")
        var versions = [entries[2], entries[2]]
        (versions[0].content, versions[1].content) = ("earlier", "later")
        for replacements in [[versions[0]], versions] {
            try await store.saveEntries(replacements)
            let found = try await store.fetchEntries()
            try requireEqual(found.count, entries.count, "the number of entries after a replacement")
            try requireEqual(
                found.first { $0.id == entries[2].id }, replacements.last, "the replaced entry")
        }
    }

    func clustersKeepTheirMembers() async throws {
        let entries = (0..<3).map { entry($0) }
        try await store.saveEntries(entries)
        var cluster = Cluster(
            label: "first", keywords: ["a", "b"], centroid: [1, 0, 0, 0],
            members: [entries[0].id, entries[2].id],
            representatives: [entries[2].id], cohesion: 0.5, createdAt: Date(milliseconds: 5))
        try await store.updateCluster(cluster)
        try requireEqual(try await store.fetchClusters(), [cluster], "the clusters")
        cluster.label = "renamed"
        cluster.members = [entries[1].id, entries[2].id]
        try await store.updateCluster(cluster)
        try requireEqual(try await store.fetchClusters(), [cluster], "the clusters after an update")
        // A cluster that is saved later takes an entry from another one.
        let second = Cluster(
            label: "second", members: [entries[2].id], createdAt: cluster.updatedAt.addingTimeInterval(1))
        try await store.updateCluster(second)
        try requireEqual(
            try await store.snapshot().clusters().map(\.members), [[entries[1].id], [entries[2].id]],
            "the members after an entry moved to another cluster")
        _ = try await store.commit(WriteBatch(unassignments: [entries[2].id]))
        try requireEqual(
            try await store.snapshot().clusters().flatMap(\.members), [entries[1].id],
            "the members after the assignment of the entry was removed")
    }

    /// A text with kinds of characters that stores and file formats are known to handle incorrectly.
    private static let unusualText =
        "a\0b \u{FEFF}e\u{301} \u{1F468}\u{200D}\u{1F469} '); DROP TABLE entries; -- \r\n\"\\"

    private static func fullEntry() -> Entry {
        let text = unusualText
        let vector: [Float] = [0.1, -0.000_012_5, 3.402_823_5e38, .leastNonzeroMagnitude]
        return Entry(
            content: text,
            structure: TextStructure(
                format: .mail, title: text,
                sections: [
                    .init(headings: [], range: 0..<1), .init(headings: [text, ""], range: 1..<4),
                    .init(headings: [text, "b"], range: 4..<text.utf8.count),
                ],
                hiddenParts: [.init(kind: .address, range: 0..<2), .init(kind: .markup, range: 3..<4)],
                blocks: [1..<3, 3..<text.utf8.count],
                links: [
                    DocumentLink(kind: .embed, target: text, fragment: "", text: text),
                    DocumentLink(kind: .address, target: ""),
                ]),
            embeddings: vector,
            passages: [
                Passage(ordinal: 0, utf8Range: 0..<2, tokenCount: 1, vector: [0, 1, 0, 0]),
                Passage(ordinal: 1, utf8Range: 1..<text.utf8.count, tokenCount: 7, vector: vector),
            ],
            source: "file:///tmp/\(text)", key: text,
            location: EntryLocation(
                line: 3, lastLine: EntryLocation.maximumNumber, page: 7, headings: [text, ""]),
            metadata: [
                text: .string(text), "n": 1, "big": .integer(.max), "x": 0.1, "t": true, "null": nil, "": "",
                "deep": ["a": [1, 2.5, ["b": nil]]],
            ],
            tags: [text, "b", "a"], createdAt: Date(milliseconds: 1),
            updatedAt: Date(milliseconds: 1_700_000_000_123))
    }

    private static func fullClustering(of full: Entry, _ empty: Entry, _ stamp: Stamp)
        -> WriteBatch.Clustering
    {
        let text = unusualText
        let origin = Cluster.Origin(cluster: UUID(), label: text, size: 9, remaining: 8, shared: 7)
        var run = ClusteringRun(
            algorithm: text, parameters: ["k": 2], seed: .max, stamp: stamp, createdAt: Date(milliseconds: 7))
        (run.dataDigest, run.silhouette, run.stability) = ("00ff", -0.1, 0.3)
        run.vanished = [origin]
        var cluster = Cluster(
            label: text, keywords: [text], centroid: [0.1, 0, 0, 0], members: [full.id],
            representatives: [full.id], cohesion: 0.1, parent: nil, createdAt: Date(milliseconds: 3),
            updatedAt: Date(milliseconds: 4))
        cluster.isLabelPinned = true
        cluster.labelPin = .init(of: [full.id, empty.id])
        cluster.labeledBy = "remote:nâmer"
        (cluster.separation, cluster.silhouette, cluster.assignmentThreshold) = (0.1, -0.3, 0.7)
        cluster.stability = 0.9
        cluster.origins = [origin]
        let child = Cluster(label: "", members: [], parent: cluster.id, createdAt: Date(milliseconds: 3))
        let assignments = [
            Assignment(
                entry: full.id, target: .cluster(cluster.id), run: run.id, similarity: 0.1, confidence: 0.3),
            Assignment(
                entry: empty.id, target: .outlier(.zeroVector), run: run.id, similarity: 0, confidence: 0),
        ]
        return .init(run: run, clusters: [cluster, child], assignments: assignments)
    }

    func everyFieldIsPreserved() async throws {
        let full = Self.fullEntry()
        let empty = Entry(content: "", createdAt: Date(milliseconds: 0))
        try await store.saveEntries([full, empty])
        let clustering = Self.fullClustering(of: full, empty, try await store.snapshot().stamp)
        var source = Source(
            id: "file:///tmp/\(Self.unusualText)", fingerprint: Self.unusualText,
            ingestedAt: Date(milliseconds: 9))
        _ = try await store.commit(WriteBatch(sources: [source], clustering: clustering))
        let snapshot = try await store.snapshot()
        try requireEqual(
            try await snapshot.entries([full.id, UUID(), empty.id, full.id]), [full, empty, full],
            "the entries")
        try requireEqual(try await snapshot.clusters(), clustering.clusters, "the clusters")
        let records = clustering.clusters.map { changing($0) { $0.members = [] } }
        try requireEqual(try await snapshot.clusterRecords(), records, "the clusters without members")
        try requireEqual(try await snapshot.assignments(of: nil), clustering.assignments, "the assignments")
        try requireEqual(
            try await snapshot.assignments(of: [empty.id]), [clustering.assignments[1]],
            "the assignment of one entry")
        try requireEqual(try await snapshot.clusteringRun(), clustering.run, "the run")
        source.entryIDs = [full.id]
        try requireEqual(try await snapshot.sources([source.id]), [source], "the source")
    }

    func deletionRemovesEntries() async throws {
        let entries = (0..<3).map { entry($0) }
        try await store.saveEntries(entries)
        try await store.updateCluster(
            Cluster(label: "c", members: entries.map(\.id), representatives: entries[1...].map(\.id)))
        try await store.deleteEntry(entries[1].id)
        let revision = try await store.snapshot().stamp.revision
        try await store.deleteEntry(UUID())
        try requireEqual(
            try await store.snapshot().stamp.revision, revision,
            "the revision after the deletion of an entry that is not stored")
        try requireEqual(try await store.fetchEntries(), [entries[0], entries[2]], "the remaining entries")
        try requireEqual(
            try await store.fetchClusters()[0].members, [entries[0].id, entries[2].id],
            "the remaining members")
        let snapshot = try await store.snapshot()
        try requireEqual(
            try await snapshot.clusters().map(\.representatives), [[entries[2].id]],
            "the remaining representatives")
        try requireEqual(
            try await snapshot.clusterRecords().map(\.representatives), [[entries[2].id]],
            "the remaining representatives of the clusters without members")
        try requireEqual(
            try await snapshot.assignments(of: nil).count, 2, "the number of remaining assignments")
    }

    func clusterUpdatesKeepAssignments() async throws {
        let entries = (0..<3).map { entry($0) }
        try await store.saveEntries(entries)
        var (first, second) = (Cluster(label: "first", cohesion: 0.25), Cluster(label: "second"))
        let assignments = entries[..<2].map {
            Assignment(
                entry: $0.id, target: .cluster(first.id), run: UUID(), similarity: 0.75, confidence: 0.5)
        }
        _ = try await store.commit(WriteBatch(clusters: [first, second], assignments: assignments))
        first.label = "renamed"
        first.members = [entries[0].id, entries[2].id]
        try await store.updateCluster(first)
        let joined = Assignment(entry: entries[2].id, target: .cluster(first.id), similarity: 0.25)
        let snapshot = try await store.snapshot()
        try requireEqual(
            try await snapshot.assignments(of: nil), [assignments[0], joined],
            "the assignments after members joined and left a cluster")
        try requireEqual(
            try await snapshot.clusters().map(\.label), ["renamed", "second"],
            "the clusters in the order in which they were first saved")
        let before = try await StorageContents(store)
        second.members = [entries[1].id, UUID()]
        try await requireError(.notFound, "a member that is not stored") {
            try await store.updateCluster(second)
        }
        try requireSame(try await StorageContents(store), before, "the store after a rejected member")
    }

    func rowNumbersAreNotReused() async throws {
        func rows(of store: any StorageProvider) async throws -> [UInt32] {
            try await store.snapshot().entries(after: nil, limit: 10, matching: .all).rows
        }
        var entries = (0..<3).map { entry($0) }
        try await store.saveEntries(entries)
        let first = try await rows(of: store)
        try require(first.count == 3 && first == first.sorted(), "the rows of three entries are \(first)")
        entries[0].content = "changed"
        try await store.saveEntry(entries[0])
        try await store.deleteEntry(entries[2].id)
        try requireEqual(
            try await rows(of: store), Array(first[..<2]), "the rows after a replacement and a deletion")
        var current = store
        if fixture.level >= .durable {
            try await store.compact()
            try await store.close()
            current = try await fixture.open()
        }
        // The deleted entry is inserted again, after another one.
        try await current.saveEntries([entry(3), entries[2]])
        let last = try await rows(of: current)
        try require(
            last.count == 4 && last[2] > first[2] && last[3] > last[2],
            "the rows \(first) of three entries, of which the last was deleted, are followed by "
                + "\(last.dropFirst(2))")
        try await current.close()
    }

    func compactionChangesNothing() async throws {
        let entries = (0..<20).map { entry($0) }
        try await store.saveEntries(entries)
        try await store.updateCluster(Cluster(label: "c", members: entries[..<5].map(\.id)))
        for entry in entries[4..<8] { try await store.deleteEntry(entry.id) }
        let snapshot = try await store.snapshot()
        let (seen, before) = (try await StorageContents(snapshot), try await StorageContents(store))
        let (_, cursor) = try await changes(after: .start, limit: 100)
        for _ in 0..<2 {
            try await store.compact()
            try requireEqual(try await store.snapshot().stamp, snapshot.stamp, "the stamp after a compaction")
            try requireSame(try await StorageContents(store), before, "the store after a compaction")
            try requireSame(try await StorageContents(snapshot), seen, "an earlier snapshot")
        }
        let new = entry(20)
        try await store.saveEntry(new)
        let (later, _) = try await changes(after: cursor, limit: 100)
        try requireEqual(later.map(\.kind), [.upserted(new.id)], "the changes after a compaction")
    }

    func vectorsHaveOneDimension() async throws {
        let (first, second) = (entry(1), entry(2))
        try await store.saveEntries([first, second])
        try await requireError(.dimensionMismatch, "a vector of another dimension") {
            try await store.saveEntry(entry(3, dimension: 5))
        }
        try requireEqual(
            try await store.fetchEntries(), [first, second], "the entries after rejected batches")
        // Vectors may have a different dimension if all vectors are replaced at once.
        let changed = [first, second].map { changing($0) { $0.embeddings = [1, 0] } }
        try await store.saveEntries(changed)
        try requireEqual(
            try await store.fetchEntries(), changed, "the entries with vectors of another dimension")
    }

    func sourcesListTheirEntries() async throws {
        let empty = try await store.snapshot()
        try requireEqual(try await empty.sourceCount(), 0, "the number of sources of an empty store")
        // The order of bytes differs from that of words, and some of the ids are equal after Unicode
        // normalization.
        let ids = [
            "a", "B", "aa", "\u{E9}", "e\u{301}", "\u{10000}", "\u{FFFF}", "z", "%", "",
            String(repeating: "x", count: 5_000), String(repeating: "x", count: 5_000) + "y",
        ]
        let records = ids.enumerated().map { number, id in
            Source(id: id, fingerprint: "f\(number)", ingestedAt: Date(milliseconds: Int64(number)))
        }
        let entries = (0..<4).map { number in
            changing(entry(number)) { $0.source = number < 3 ? "a" : "z" }
        }
        _ = try await store.commit(WriteBatch(upserts: entries, sources: records))
        let snapshot = try await store.snapshot()
        _ = try await store.commit(
            WriteBatch(
                removals: [entries[0].id], sources: [Source(id: "b", fingerprint: "")],
                removedSources: ["z"]))
        let ordered = records.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        try requireEqual(try await snapshot.sourceCount(), ids.count, "the number of sources")
        try requireEqual(try await snapshot.sources(), ordered, "all sources")
        try requireEqual(
            try await snapshot.sources(["a", "none"]).map(\.entryIDs), [entries[..<3].map(\.id)],
            "the entries of a source")
        let later = try await store.snapshot()
        try requireEqual(
            try await later.sources(["a", "z", "b"]).map(\.entryIDs), [entries[1..<3].map(\.id), []],
            "the entries of the sources of a later snapshot")
    }

    func vectorsAreReadInPages() async throws {
        var entries = (0..<23).map { entry($0) }
        entries[4].embeddings = []
        entries[5].passages = [[0, 1, 0, 0], [0, 0, 1, 0]].enumerated().map {
            Passage(ordinal: $0, utf8Range: 0..<1, vector: $1)
        }
        try await store.saveEntries(entries)
        try await store.deleteEntry(entries[9].id)
        let snapshot = try await store.snapshot()
        let embedded = try await snapshot.entries(after: nil, limit: 100, matching: .all).entries.filter {
            !$0.embeddings.isEmpty
        }
        for kind in [VectorPage.Kind.entries, .passages] {
            for limit in [1, 4, 100] {
                var (vectors, ids): ([[Float]], [UUID]) = ([], [])
                for try await page in snapshot.vectorPages(of: kind, pageSize: limit) {
                    try require(
                        Set(page.rows).count <= limit,
                        "a page with a limit of \(limit) has \(Set(page.rows).count) entries")
                    vectors += (0..<page.vectors.rows).map { page.vectors.row($0) }
                    ids += page.ids
                }
                let expected = embedded.flatMap { entry in
                    kind == .entries
                        ? [(entry.id, entry.embeddings)]
                        : entry.searchablePassages.map { (entry.id, $0.vector) }
                }
                try requireEqual(ids, expected.map(\.0), "ids of \(kind) in pages of \(limit)")
                try requireEqual(vectors, expected.map(\.1), "vectors of \(kind) in pages of \(limit)")
            }
        }
        let digest = ContentDigest(of: entries[7].content)
        let missing = ContentDigest(of: "a text that is not stored")
        let found = try await snapshot.embeddedEntries(withContent: [digest, missing])
        try requireEqual(found, [digest: entries[7]], "the entry found by the digest of its content")
    }
}
