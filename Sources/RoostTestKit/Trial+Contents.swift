import Foundation
import RoostModel
import RoostVectors

/// Laws on what is kept.
extension Trial {
    func savedEntriesComeBack() async throws {
        try requireEqual(try await store.fetchEntries().count, 0, "entries of a new store")
        let entries = (0..<5).map { entry($0) }
        try await store.saveEntry(entries[0])
        try await store.saveEntries(Array(entries[1...]))
        try requireEqual(try await store.fetchEntries(), entries, "the entries")
    }

    func savingReplaces() async throws {
        var first = entry(1)
        try await store.saveEntry(first)
        try await store.saveEntry(entry(2))
        first.content = "changed"
        try await store.saveEntry(first)
        let fetched = try await store.fetchEntries()
        try requireEqual(fetched.count, 2, "entries after a replacement")
        try requireEqual(fetched.first { $0.id == first.id }, first, "the replaced entry")
    }

    func clustersComeBack() async throws {
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
        try requireEqual(try await store.fetchClusters(), [cluster], "the changed clusters")
    }

    func everyField() async throws {
        let odd = "a\0b \u{FEFF}e\u{301} \u{1F468}\u{200D}\u{1F469} '); DROP TABLE entries; -- \r\n\"\\"
        let id = UUID()
        let full = Entry(
            id: id, content: odd, embeddings: [0.1, -0.000_012_5, 3.402_823_5e38, .leastNonzeroMagnitude],
            passages: [
                Passage(ordinal: 0, utf8Range: 0..<2, tokenCount: 1, vector: [0, 1, 0, 0]),
                Passage(
                    ordinal: 1, utf8Range: 1..<odd.utf8.count, tokenCount: 7,
                    vector: [0.1, -0.000_012_5, 3.402_823_5e38, .leastNonzeroMagnitude]),
            ],
            source: "file:///tmp/\(odd)", key: odd,
            metadata: [
                odd: .string(odd), "n": 1, "big": .integer(.max), "x": 0.1, "t": true, "null": nil, "": "",
                "deep": ["a": [1, 2.5, ["b": nil]]],
            ],
            tags: [odd, "b", "a"], createdAt: Date(milliseconds: 1),
            updatedAt: Date(milliseconds: 1_700_000_000_123))
        let empty = Entry(content: "", createdAt: Date(milliseconds: 0))
        try await store.saveEntries([full, empty])
        let origin = Cluster.Origin(cluster: UUID(), label: odd, size: 9, remaining: 8, shared: 7)
        var run = ClusteringRun(
            algorithm: odd, parameters: ["k": 2], seed: .max,
            stamp: try await store.snapshot().stamp, createdAt: Date(milliseconds: 7))
        (run.dataDigest, run.silhouette, run.stability) = ("00ff", -0.1, 0.3)
        run.vanished = [origin]
        var cluster = Cluster(
            label: odd, keywords: [odd], centroid: [0.1, 0, 0, 0], members: [id], representatives: [id],
            cohesion: 0.1,
            parent: nil, createdAt: Date(milliseconds: 3), updatedAt: Date(milliseconds: 4))
        cluster.isLabelPinned = true
        cluster.labeledBy = "remote:nâmer"
        (cluster.separation, cluster.silhouette, cluster.reach) = (0.1, -0.3, 0.7)
        cluster.origins = [origin]
        let child = Cluster(label: "", members: [], parent: cluster.id, createdAt: Date(milliseconds: 3))
        let assignments = [
            Assignment(entry: id, place: .cluster(cluster.id), run: run.id, similarity: 0.1, confidence: 0.3),
            Assignment(
                entry: empty.id, place: .outlier(.zeroVector), run: run.id, similarity: 0, confidence: 0),
        ]
        _ = try await store.commit(
            WriteBatch(
                sources: [
                    Source(id: "file:///tmp/\(odd)", fingerprint: odd, ingestedAt: Date(milliseconds: 9))
                ],
                clustering: .init(run: run, clusters: [cluster, child], assignments: assignments)))
        let snapshot = try await store.snapshot()
        try requireEqual(try await snapshot.entries([id, UUID(), empty.id]), [full, empty], "the entries")
        try requireEqual(try await snapshot.clusters(), [cluster, child], "the clusters")
        var record = cluster
        record.members = []
        try requireEqual(
            try await snapshot.clusterRecords(), [record, child], "the clusters without members")
        try requireEqual(try await snapshot.assignments(of: nil), assignments, "the assignments")
        try requireEqual(try await snapshot.assignments(of: [empty.id]), [assignments[1]], "one assignment")
        try requireEqual(try await snapshot.clusteringRun(), run, "the run")
        let sources = try await snapshot.sources(["file:///tmp/\(odd)"])
        try requireEqual(sources.first?.fingerprint, odd, "the source's fingerprint")
        try requireEqual(sources.first?.entryIDs, [id], "the source's entries")
        try requireEqual(sources.first?.ingestedAt, Date(milliseconds: 9), "the source's date")
    }

    func deleted() async throws {
        let entries = (0..<3).map { entry($0) }
        try await store.saveEntries(entries)
        try await store.updateCluster(Cluster(label: "c", members: entries.map(\.id)))
        try await store.deleteEntry(entries[1].id)
        try await store.deleteEntry(UUID())
        try requireEqual(try await store.fetchEntries(), [entries[0], entries[2]], "what is left")
        try requireEqual(
            try await store.fetchClusters()[0].members, [entries[0].id, entries[2].id], "the members left")
        try requireEqual(try await store.snapshot().assignments(of: nil).count, 2, "the assignments left")
    }

    func dimensions() async throws {
        let (first, second) = (entry(1), entry(2))
        try await store.saveEntries([first, second])
        try await requireError(.dimensionMismatch, "a vector of another dimension") {
            try await store.saveEntry(entry(3, dimension: 5))
        }
        try await requireError(.invalidBatch, "a vector that is not finite") {
            try await store.saveEntry(Entry(content: "x", embeddings: [.nan, 0, 0, 0]))
        }
        try await requireError(.invalidBatch, "a passage outside its entry") {
            try await store.saveEntry(
                Entry(
                    content: "x", embeddings: [1, 0, 0, 0],
                    passages: [Passage(ordinal: 0, utf8Range: 0..<9, vector: [1, 0, 0, 0])]))
        }
        try requireEqual(try await store.fetchEntries(), [first, second], "the entries after refusals")
        // Every vector replaced at once: the dimension is free again.
        let changed = [first, second].map { old in
            var new = old
            new.embeddings = [1, 0]
            return new
        }
        try await store.saveEntries(changed)
        try requireEqual(try await store.fetchEntries(), changed, "the entries of the new dimension")
    }

    func sources() async throws {
        let entries = (0..<4).map { number in
            var entry = entry(number)
            entry.source = number < 3 ? "a" : "b"
            return entry
        }
        _ = try await store.commit(
            WriteBatch(
                upserts: entries,
                sources: [Source(id: "b", fingerprint: "2"), Source(id: "a", fingerprint: "1")]))
        let snapshot = try await store.snapshot()
        try requireEqual(try await snapshot.sources().map(\.id), ["a", "b"], "the sources")
        try requireEqual(
            try await snapshot.sources(["a", "none"]).map(\.entryIDs), [entries[..<3].map(\.id)],
            "the entries of a source")
        _ = try await store.commit(WriteBatch(removals: [entries[0].id], removedSources: ["b"]))
        let after = try await store.snapshot()
        try requireEqual(
            try await after.sources(["a", "b"]).map(\.entryIDs), [entries[1..<3].map(\.id)], "what is left")
    }

    /// Values that look alike, or like numbers.
    private static let mixed: [MetadataValue?] = [
        nil, "10", 9, 10, 10.5, "9x", "", "010", -1, "-1", "1e1", 1e300, "true", true, .null, "it's", "ä",
        "a\u{308}", "a\0b", [9], ["mixed": 9], "9007199254740993", .integer(9_007_199_254_740_993),
    ]

    private static var conditioned: [EntryFilter] {
        let operands = [
            "10", "9", "10.0", "", "abc", "-1", "ä", "1e300", "9007199254740992", "1e999", "true", "null",
            "a\0", "'", "%",
        ]
        var conditions: [EntryCondition] = []
        for operand in operands {
            for field in [EntryCondition.Field.metadata("mixed"), .metadata("n"), .source, .tag] {
                conditions += [
                    .equals(operand), .differs(operand), .isOneOf([operand, "10.5", "s1", "all"]),
                    .isLess(operand), .isAtMost(operand), .isGreater(operand), .isAtLeast(operand),
                    .hasPrefix(operand),
                ].map { EntryCondition(field, $0) }
            }
        }
        let many = (0..<300).map(String.init)
        for field in ["mixed", "list", "none", "m", "it's \"here\"\n"].map(EntryCondition.Field.metadata) + [
            .source, .tag,
        ] {
            conditions += [.exists, .isMissing, .isOneOf([]), .isOneOf(many)].map {
                EntryCondition(field, $0)
            }
        }
        let day = { Date(timeIntervalSince1970: $0) }
        return conditions.map { condition in
            var filter = EntryFilter()
            filter.conditions = [condition]
            return filter
        }
            + [(0.25, 7.25), (0.2504, 0.25049), (5, 5), (3.2501, .infinity), (-1e18, 1e18)].flatMap {
                start, end in
                var (created, updated) = (EntryFilter(), EntryFilter())
                created.created = day(start)..<day(end)
                updated.updated = day(start)..<day(end)
                return [created, updated]
            }
    }

    func filters() async throws {
        let entries = (0..<60).map { number in
            var entry = entry(number)
            entry.source = number % 3 == 0 ? nil : "s\(number % 3)"
            entry.tags = number % 2 == 0 ? ["even", "all"] : ["all"]
            entry.metadata = [
                "n": .integer(Int64(number % 5)), "f": .number(Double(number % 4)), "list": [1], "q": "it's",
            ]
            if number % 7 == 0 { entry.metadata["it's \"here\"\n"] = number % 2 == 0 ? [1] : ["x": 1] }
            entry.metadata["mixed"] = Self.mixed[number % Self.mixed.count]
            entry.createdAt = Date(timeIntervalSince1970: Double(number) + 0.25)
            entry.updatedAt = Date(timeIntervalSince1970: Double(100 - number))
            return entry
        }
        try await store.saveEntries(entries)
        let cluster = Cluster(label: "c", members: entries[10..<20].map(\.id))
        try await store.updateCluster(cluster)
        let filters =
            Self.conditioned + [
                EntryFilter.all, EntryFilter(ids: [entries[3].id, UUID()]), EntryFilter(ids: []),
                EntryFilter(sources: ["s1", "s2"]), EntryFilter(sources: []), EntryFilter(tags: ["even"]),
                EntryFilter(tags: ["even", "all"]),
                EntryFilter(tags: ["e"]), EntryFilter(metadata: ["n": "3"]),
                EntryFilter(metadata: ["f": "3", "n": "3"]),
                EntryFilter(metadata: ["list": "1"]), EntryFilter(metadata: ["q": "it's"]),
                EntryFilter(metadata: ["none": ""]),
                EntryFilter(cluster: cluster.id), EntryFilter(cluster: UUID()),
                EntryFilter(tags: ["even"], cluster: cluster.id),
                EntryFilter(idPrefix: String(entries[7].id.uuidString.lowercased().prefix(10))),
                EntryFilter(idPrefix: "%"), EntryFilter(idPrefix: ""),
            ]
        let snapshot = try await store.snapshot()
        let members = Set(cluster.members)
        for filter in filters {
            let expected = entries.filter {
                filter.matches($0, assigned: members.contains($0.id) ? cluster.id : nil)
            }
            let page = try await snapshot.entries(after: nil, limit: 100, matching: filter)
            try requireEqual(page.entries.map(\.id), expected.map(\.id), "entries for \(filter)")
            try requireEqual(
                try await snapshot.rows(matching: filter), RowSet(page.rows), "rows for \(filter)")
            var (headers, after): ([EntryHeader], UInt32?) = ([], nil)
            repeat {
                let page = try await snapshot.headers(after: after, limit: 5, matching: filter)
                try require(page.headers.count <= 5, "a page of more than 5 headers")
                headers += page.headers
                after = page.next
            } while after != nil
            try requireEqual(headers, expected.map(EntryHeader.init), "headers for \(filter)")
        }
        var (paged, row): ([UUID], UInt32?) = ([], nil)
        repeat {
            let page = try await snapshot.entries(after: row, limit: 7, matching: EntryFilter(tags: ["even"]))
            paged += page.entries.map(\.id)
            row = page.next
        } while row != nil
        try requireEqual(paged, entries.filter { $0.tags.contains("even") }.map(\.id), "pages of a filter")
    }

    func vectors() async throws {
        var entries = (0..<23).map { entry($0) }
        entries[4].embeddings = []
        entries[5].passages = [[0, 1, 0, 0], [0, 0, 1, 0]].enumerated().map {
            Passage(ordinal: $0, utf8Range: 0..<1, vector: $1)
        }
        try await store.saveEntries(entries)
        try await store.deleteEntry(entries[9].id)
        let snapshot = try await store.snapshot()
        let left = try await snapshot.entries(after: nil, limit: 100, matching: .all).entries.filter {
            !$0.embeddings.isEmpty
        }
        for kind in [VectorPage.Kind.entries, .passages] {
            for limit in [1, 4, 100] {
                var (vectors, ids, row): ([[Float]], [UUID], UInt32?) = ([], [], nil)
                repeat {
                    let page = try await snapshot.vectors(of: kind, after: row, limit: limit)
                    try require(Set(page.rows).count <= limit, "a page of more than \(limit) entries")
                    vectors += (0..<page.vectors.rows).map { page.vectors.row($0) }
                    ids += page.ids
                    row = page.next
                } while row != nil
                let expected = left.flatMap { entry in
                    kind == .entries
                        ? [(entry.id, entry.embeddings)]
                        : entry.searchablePassages.map { (entry.id, $0.vector) }
                }
                try requireEqual(ids, expected.map(\.0), "ids of \(kind) in pages of \(limit)")
                try requireEqual(vectors, expected.map(\.1), "vectors of \(kind) in pages of \(limit)")
            }
        }
        let digest = ContentDigest(of: entries[7].content)
        let found = try await snapshot.embeddedEntries(withContent: [digest, ContentDigest(of: "nobody's")])
        try requireEqual(found, [digest: entries[7]], "the entry of a content")
    }

    func tenThousand() async throws {
        let entries = (0..<10_000).map { entry($0) }
        try await store.saveEntries(entries)
        try requireEqual(try await store.fetchEntries(), entries, "10,000 entries")
        let snapshot = try await store.snapshot()
        try requireEqual(snapshot.stamp.entryCount, 10_000, "the count")
        let (all, _) = try await changes(after: .start, limit: 999)
        try requireEqual(all.map(\.kind), entries.map { .upserted($0.id) }, "10,000 changes")
    }
}
