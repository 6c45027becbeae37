import Foundation
import Roost
import RoostTestKit
import TestSupport
import Testing

/// Tests of clusters between runs: labels, edits, and the assignment of new entries.
@Suite(.temporaryFolders) struct ClusterTests {
    func store(_ count: Int = 120) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let drafts = (0..<count).map { EntryDraft(content: "\(SampleTexts.subjects[$0 % 4]) \($0)") }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        return store
    }

    func clusters(_ store: KnowledgeStore) async throws -> [String: Cluster] {
        let all = try await store.storage.fetchClusters()
        return Dictionary(uniqueKeysWithValues: all.map { (String($0.keywords.first ?? ""), $0) })
    }

    @Test func `a label is kept from run to run until it is removed`() async throws {
        let store = try await store()
        let first = try await store.recluster(clusters: 4, seed: 1)
        let bread = try #require(first.clusters.first { $0.keywords.contains { $0.contains("bread") } })
        try await store.clusters.label(bread.id, as: "Baking")
        _ = try await store.add("bread oven dough flour once more")
        let second = try await store.recluster(clusters: 4, seed: 2)
        let named = try #require(second.clusters.first { $0.id == bread.id })
        #expect((named.label, named.isLabelPinned) == ("Baking", true))
        #expect(try await store.clusters.export().cluster(bread.id)?.pinned == true)
        let free = try await store.clusters.label(bread.id, as: nil)
        #expect(free.label != "Baking" && !free.isLabelPinned)
        let family = "\u{1F469}\u{200D}\u{1F467} می\u{200C}خواهم"
        #expect(try await store.clusters.label(bread.id, as: family).label == family)
        for bad in ["", "  ", "two\nlines", "a\u{202E}b", "a\u{2066}b", "a\u{200B}b", "\u{FEFF}a"] + [
            "a\u{200F}", String(repeating: "x", count: 300),
        ] {
            await #expect(throws: RoostError.self) { try await store.clusters.label(bread.id, as: bad) }
        }
        await #expect(throws: RoostError.self) { try await store.clusters.label(UUID(), as: "x") }
    }

    @Test func `the removal of a label leaves a label that a run chose unchanged`() async throws {
        let store = try await store()
        let made = try await store.recluster(clusters: 4, seed: 1).clusters
        // The keywords alone would give another label.
        var chosen = made[0]
        (chosen.label, chosen.members) = ("chosen", [])
        let revision = try await store.storage.commit(WriteBatch(clusters: [chosen]))
        #expect(try await store.clusters.label(chosen.id, as: nil).label == "chosen")
        #expect(try await store.storage.fetchClusters().contains { $0.label == "chosen" })
        #expect(try await store.storage.snapshot().stamp.revision == revision)
    }

    @Test func `a larger cluster that ends is reported with the members of its clusters`() async throws {
        let store = try await store()
        let made = try await store.recluster(with: PairedClusters(count: 12)).clusters
        let parents = Set(made.compactMap(\.parent))
        let ended = try await store.recluster(with: OneGroup()).ended
        #expect(ended.contains { parents.contains($0.id) })
        for parent in ended where parents.contains(parent.id) {
            let members = made.filter { $0.parent == parent.id }.flatMap(\.members)
            #expect(!members.isEmpty && Set(members) == Set(parent.members))
        }
    }

    @Test func `two clusters never have the same label`() async throws {
        let store = try await store()
        let made = try await store.recluster(clusters: 4, seed: 1).clusters
        // An automatic label gives way to a person's label.
        try await store.clusters.label(made[0].id, as: made[1].label.uppercased())
        let labels = try await store.storage.fetchClusters().map { $0.label.lowercased() }
        #expect(Set(labels).count == 4)
        // A person's label does not.
        try await store.clusters.label(made[2].id, as: "Third")
        let error = await #expect(throws: RoostError.self) {
            try await store.clusters.label(made[3].id, as: "third")
        }
        #expect(error?.code == .badInput)
        // An automatic label that is restored or computed later differs from the labels that people gave.
        let restored = try await store.clusters.label(made[2].id, as: nil).label
        try await store.clusters.label(made[3].id, as: restored + ", x")
        for report in [
            try await store.recluster(clusters: 4, seed: 2), try await store.recluster(clusters: 5, seed: 3),
        ] {
            #expect(Set(report.clusters.map { $0.label.lowercased() }).count == report.clusters.count)
        }
    }

    @Test func `a label that is given during a run is kept`() async throws {
        let inner = InMemoryStorageProvider()
        let embedder = LexicalEmbedder()
        let first = KnowledgeStore(storage: inner, embedder: embedder)
        let drafts = (0..<120).map { EntryDraft(content: "\(SampleTexts.subjects[$0 % 4]) \($0)") }
        _ = try await first.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        let made = try await first.recluster(clusters: 4, seed: 1)
        // Another writer labels a cluster just before the run's first commit.
        let id = made.clusters[0].id
        let clusterer = Interrupted(base: SphericalKMeans(clusters: 4, seed: 3)) {
            _ = try await first.clusters.label(id, as: "Named meanwhile")
        }
        let report = try await first.recluster(with: clusterer)
        #expect(report.clusters.first { $0.id == id }?.label == "Named meanwhile")
        #expect(try await inner.fetchClusters().first { $0.id == id }?.isLabelPinned == true)
    }

    /// A clusterer that runs a closure between the reading and the commit of a run.
    struct Interrupted: Clusterer {
        let base: SphericalKMeans
        let between: @Sendable () async throws -> Void
        var algorithm: String { base.algorithm }
        var seed: UInt64 { base.seed }

        func cluster(_ vectors: Matrix) async throws -> Partition {
            let partition = try await base.cluster(vectors)
            try await between()
            return partition
        }
    }

    @Test func `clusters are merged, split and deleted, and other clusters do not change`() async throws {
        let store = try await store()
        let made = try await store.recluster(clusters: 4, seed: 1)
        let ids = made.clusters.map(\.id)
        try await store.clusters.label(ids[0], as: "First")
        let before = try await store.storage.fetchClusters()
        let merged = try await store.clusters.merge([ids[0], ids[1]])
        #expect((merged.id, merged.label, merged.members.count) == (ids[0], "First", 60))
        #expect(Set(merged.origins.map(\.cluster)) == Set(ids.prefix(2)))
        var after = try await store.storage.fetchClusters()
        #expect(after.count == 3)
        for id in ids[2...] {
            let old = try #require(before.first { $0.id == id })
            let new = try #require(after.first { $0.id == id })
            #expect(old.members == new.members)
            #expect(old.label == new.label)
            #expect(old.updatedAt == new.updatedAt)
        }
        #expect(
            try await store.clusters.lineage().events.map(\.kind).contains(.merge))
        // The assignments that a person changed belong to no run.
        let moved = try await store.storage.snapshot().assignments(
            of: before.first { $0.id == ids[1] }?.members)
        #expect(moved.allSatisfy { $0.run == nil && $0.cluster == ids[0] })

        let parts = try await store.clusters.split(ids[0])
        #expect(parts.map(\.members.count) == [30, 30])
        #expect(parts.contains { $0.id == ids[0] })
        #expect(Set(parts.flatMap(\.members)) == Set(merged.members))
        try await store.clusters.delete(ids[2])
        after = try await store.storage.fetchClusters()
        #expect(after.count == 3 && !after.contains { $0.id == ids[2] })
        let export = try await store.clusters.export()
        #expect(export.unassignedCount == 30 && export.clusters.map(\.size) == [30, 30, 30])
        await #expect(throws: RoostError.self) { try await store.clusters.merge([ids[0]]) }
        await #expect(throws: RoostError.self) { try await store.clusters.merge([ids[0], ids[0]]) }
        await #expect(throws: RoostError.self) { try await store.clusters.merge([ids[0], UUID()]) }
        await #expect(throws: RoostError.self) { try await store.clusters.split(ids[0], into: 99) }
        await #expect(throws: RoostError.self) { try await store.clusters.split(ids[0], into: 1) }
        await #expect(throws: RoostError.self) { try await store.clusters.delete(UUID()) }
        #expect(try await store.storage.fetchClusters() == after)
    }

    @Test func `a new entry joins the nearest cluster if it is near enough`() async throws {
        let store = try await store()
        let made = try await store.recluster(clusters: 4, seed: 1)
        let bread = try #require(made.clusters.first { $0.keywords.contains { $0.contains("bread") } })
        let near = try await store.add("bread oven dough flour 4")
        let far = try await store.add("quarterly tax return of the municipal administration")
        var assignments = try await store.storage.snapshot().assignments(of: [near.id, far.id])
        #expect(assignments.map(\.cluster) == [bread.id])
        #expect(assignments.map(\.run) == [nil])
        #expect((assignments.first?.similarity ?? 0) >= (bread.assignmentThreshold ?? 2))
        var drift = try await store.clusters.drift()
        #expect((drift.entries, drift.clustered, drift.unassigned) == (122, 121, 1))
        #expect((drift.placedSince, drift.unchanged, drift.isDue) == (1, 120, false))
        // An entry with a new text is assigned again.
        let entry = try #require(try await store.storage.snapshot().entries([near.id]).first)
        try await store.update(entry.id, EntryChanges(content: "a treaty about deep sea cables"))
        assignments = try await store.storage.snapshot().assignments(of: [near.id])
        #expect(assignments == [])
        for number in 0..<20 { try await store.add("municipal treaty \(number) about tax and cables") }
        drift = try await store.clusters.drift()
        #expect(drift.unassigned == 22 && drift.isDue, "\(drift)")
        #expect(drift.reasons.contains { $0.contains("22 of 142") })
        for number in 20..<30 { try await store.add("municipal treaty \(number) about tax and cables") }
        drift = try await store.clusters.drift()
        let reason = "at least 32 entries were added, removed or reassigned since the last run"
        #expect(drift.reasons.contains { $0.hasPrefix(reason) }, "\(drift)")
    }

    @Test func `imported entries are assigned, and stored entries keep their assignments`() async throws {
        let store = try await store()
        let made = try await store.recluster(clusters: 4, seed: 1)
        let bread = try #require(made.clusters.first { $0.keywords.contains { $0.contains("bread") } })
        var file = Data()
        try await store.exportEntries(withEmbeddings: true) { file += $0 }
        let other = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let near = try await other.add("bread oven dough flour 4")
        let far = try await other.add("quarterly tax return of the municipal administration")
        for withEmbeddings in [true, false] {
            var extra = Data()
            try await other.exportEntries(withEmbeddings: withEmbeddings) { extra += $0 }
            #expect(
                try await store.importEntries(EntryArchive(extra, name: "file")).new
                    == (withEmbeddings ? 2 : 0))
            let placed = try await store.storage.snapshot().assignments(of: [near.id, far.id])
            #expect(placed.map(\.cluster) == [bread.id])
        }
        let before = try await store.storage.snapshot().assignments(of: nil)
        #expect(try await store.importEntries(EntryArchive(file, name: "file")).unchanged == 120)
        #expect(try await store.storage.snapshot().assignments(of: nil) == before)
    }

    @Test func `a dry run reports the changes without committing them`() async throws {
        let store = try await store()
        _ = try await store.recluster(clusters: 4, seed: 1)
        let before = try await store.storage.fetchClusters()
        let revision = try await store.storage.snapshot().stamp.revision
        let report = try await store.recluster(clusters: 2, seed: 1, isDryRun: true)
        #expect(report.isDryRun && report.clusters.count { !$0.isTopic } == 2)
        #expect(try await store.storage.fetchClusters() == before)
        #expect(try await store.storage.snapshot().stamp.revision == revision)
    }

    @Test func `a run records a digest of its data, and equal data gives equal clusters`() async throws {
        let (store, other) = (
            try await store(),
            KnowledgeStore(
                storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        )
        // Adds the same entries in a different order.
        for entry in try await store.storage.fetchEntries().reversed() {
            try await other.storage.saveEntry(entry)
        }
        let (first, second) = (try await store.recluster(), try await other.recluster())
        #expect(first.run.dataDigest?.count == 64 && first.run.dataDigest == second.run.dataDigest)
        func groups(_ report: ReclusterReport) -> Set<Set<UUID>> {
            Set(report.clusters.map { Set($0.members) })
        }
        #expect(groups(first) == groups(second))
        #expect(first.run.silhouette ?? 0 > 0.2 && first.run.stability == nil)
        #expect(first.clusters.allSatisfy { $0.silhouette != nil && $0.separation != nil })
        try await store.add("one more swift")
        #expect(try await store.recluster().run.dataDigest != first.run.dataDigest)
    }

    @Test func `a parent cluster selects the members of its children`() async throws {
        let store = try await store()
        let made = try await store.recluster(with: PairedClusters(count: 12))
        let parent = try #require(made.clusters.compactMap(\.parent).first)
        let expected = Set(made.clusters.filter { $0.parent == parent }.flatMap(\.members))
        var search = EntrySearch("bread", matching: EntryFilter(cluster: parent), limit: 120)
        search.includesAll = true
        let found = try await store.search(search)
        #expect(Set(found.hits.map(\.entry.id)) == expected && !expected.isEmpty)
        let snapshot = try await store.storage.snapshot()
        let leaf = try #require(made.clusters.first { $0.parent == parent })
        var filter = EntryFilter(cluster: leaf.id)
        #expect(try await filter.expandingParentCluster(in: snapshot) == filter)
        filter = EntryFilter(ids: Set(leaf.members), cluster: parent)
        #expect(try await filter.expandingParentCluster(in: snapshot).ids == Set(leaf.members))
    }

    @Test func `a label that a person gave is flagged when the cluster has more than doubled`() async throws {
        let store = try await store(40)
        let made = try await store.recluster(clusters: 4, seed: 1)
        let bread = try #require(made.clusters.first { $0.keywords.contains { $0.contains("bread") } })
        try await store.clusters.label(bread.id, as: "Baking")
        #expect(try await store.clusters.export().cluster(bread.id)?.labelOutdated == nil)
        let drafts = (40..<55).map { EntryDraft(content: "\(SampleTexts.subjects[0]) \($0)") }
        _ = try await store.ingest([SourceDraft(id: "t", fingerprint: "1", entries: drafts)])
        _ = try await store.recluster(clusters: 4, seed: 1)
        #expect(try await store.clusters.export().cluster(bread.id)?.labelOutdated == true)
        // Setting the same label again confirms it.
        try await store.clusters.label(bread.id, as: "Baking")
        #expect(try await store.clusters.export().cluster(bread.id)?.labelOutdated == nil)
    }

    @Test func `outliers are reported with a reason`() async throws {
        let store = try await store()
        #expect(try await store.clusters.outliers().isEmpty)
        _ = try await store.add("...")
        let report = try await store.recluster()
        let outliers = try await store.clusters.outliers()
        #expect(outliers.count == report.outlierCount)
        let wordless = try #require(outliers.first { $0.entry.content == "..." })
        #expect(wordless.reason == .noWords)
    }

    @Test func `a hierarchy is exported as nested clusters, and its labels are kept`() async throws {
        let store = try await store()
        let made = try await store.recluster(with: PairedClusters(count: 12))
        let parents = made.clusters.filter { cluster in made.clusters.contains { $0.parent == cluster.id } }
        #expect(parents.count >= 2 && made.clusters.count == 12 + parents.count)
        #expect(parents.allSatisfy { $0.members.isEmpty && !$0.keywords.isEmpty })
        var export = try await store.clusters.export()
        #expect(export.allClusters.filter { $0.children == nil }.map(\.size).reduce(0, +) == 120)
        #expect(export.clusters.map(\.size).reduce(0, +) == 120)
        for group in export.allClusters {
            if let children = group.children { #expect(group.size == children.map(\.size).reduce(0, +)) }
        }
        try await store.clusters.label(parents[0].id, as: "Parent")
        let again = try await store.recluster(with: PairedClusters(count: 12))
        #expect(again.clusters.first { $0.id == parents[0].id }?.label == "Parent")
        // A parent cluster is deleted with its children.
        let children = again.clusters.filter { $0.parent == parents[1].id }.map(\.id)
        try await store.clusters.delete(parents[1].id)
        let remaining = try await store.clusters.all().map(\.id)
        #expect(Set(remaining).isDisjoint(with: children + [parents[1].id]))
        // It also ends with the last of its children.
        for part in again.clusters where part.parent == parents[0].id {
            try await store.clusters.delete(part.id)
        }
        export = try await store.clusters.export()
        #expect(export.cluster(parents[0].id) == nil)
        // A run with one level removes the hierarchy.
        #expect(try await store.recluster(clusters: 4).clusters.allSatisfy { $0.parent == nil })
    }

    @Test func `CSV exports escape special characters`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let texts = [
            "a \"quoted\" bread, with\nlines", " bread dough", "# bread *dough* <b>oven</b>", "bread",
            "=1+1 bread", " \u{FF1D}2 bread",
        ]
        _ = try await store.ingest(
            [SourceDraft(id: "s,1", fingerprint: "1", entries: texts.map { EntryDraft(content: $0) })],
            IngestOptions(tags: ["x", "y"]))
        _ = try await store.recluster(clusters: 1)
        let export = try await store.clusters.export()
        let csv = String(decoding: export.csv(), as: UTF8.self)
        #expect(csv.contains("\"a \"\"quoted\"\" bread, with\nlines\"\r\n"))
        #expect(csv.contains(",x;y,bread\r\n") && csv.contains(",\" bread dough\"\r\n"))
        // A spreadsheet does not run these as formulas.
        #expect(csv.contains("'=1+1 bread") && csv.contains("' \u{FF1D}2 bread"), "\(csv)")
        #expect(csv.components(separatedBy: "\r\n").count == 8)
    }

    @Test func `an undo restores clusters and assignments`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let embedder = LexicalEmbedder()
        var store = try await KnowledgeStore.create(at: folder, provider: .sqlite, embedder: embedder)
        let drafts = (0..<120).map { EntryDraft(content: "\(SampleTexts.subjects[$0 % 4]) \($0)") }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        let made = try await store.recluster(clusters: 4, seed: 1)
        try await store.close()
        func all() async throws -> ([Cluster], [Assignment], [UUID]) {
            let store = try await KnowledgeStore.open(at: folder) { _ in embedder }
            let snapshot = try await store.storage.snapshot()
            let all = (
                try await snapshot.clusters(), try await snapshot.assignments(of: nil),
                try await store.storage.fetchEntries().map(\.id)
            )
            try await store.close()
            return all
        }
        let edits: [@Sendable (KnowledgeStore) async throws -> Void] = [
            { _ = try await $0.add("bread oven dough flour 4") },
            { store in
                let entry = try await store.storage.fetchEntries()[3]
                try await store.update(entry.id, EntryChanges(content: "bread oven dough flour 9"))
            },
            { _ = try await $0.clusters.label(made.clusters[0].id, as: "Named") },
            { _ = try await $0.clusters.merge(made.clusters.prefix(2).map(\.id)) },
            { try await $0.clusters.delete(made.clusters[0].id) },
            { store in
                let entry = try await store.storage.fetchEntries()[0]
                let target = try await store.clusters.all().first { !$0.members.contains(entry.id) }
                try await store.clusters.move([entry.id], to: target?.id)
            },
            { store in
                let run = try await store.recluster(clusters: 2)
                try await store.clusters.label(run.clusters[0].id, as: "After the run")
            },
        ]
        for (number, edit) in edits.enumerated() {
            let before = try await all()
            store = try await KnowledgeStore.open(
                at: folder, recording: UndoRecorder(directory: folder, command: "edit")
            ) { _ in embedder }
            try await edit(store)
            try await store.close()
            let after = try await all()
            #expect(after.0 != before.0 || after.1 != before.1, "\(number)")
            store = try await KnowledgeStore.open(at: folder) { _ in embedder }
            _ = try await store.undo()
            try await store.close()
            let undone = try await all()
            #expect(undone.0.map(\.label) == before.0.map(\.label), "\(number)")
            #expect(undone.1 == before.1 && undone.2 == before.2, "\(number)")
        }
    }
}
