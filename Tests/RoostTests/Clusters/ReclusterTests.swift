import Foundation
import RoostClustering
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests of the progress that clustering runs report.
struct ReclusterProgressTests {
    private static func progress(
        _ run: (KnowledgeStore, @escaping @Sendable (ReclusterProgress) -> Void) async throws -> Void
    ) async throws -> [ReclusterProgress] {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for number in 0..<10 {
            try await store.add("tomato soil garden water seeds plant \(number)")
            try await store.add("engine piston gearbox oil brake motor \(number)")
        }
        let reported = Mutex<[ReclusterProgress]>([])
        try await run(store) { progress in reported.withLock { $0.append(progress) } }
        return reported.withLock(\.self)
    }

    private static func check(_ reported: [ReclusterProgress]) {
        let shares = reported.map(\.share)
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 }, "\(shares)")
        #expect(shares.first == 0 && shares.last == 1)
        let steps = reported.map(\.step)
        let order = ClusteringStep.allCases.filter(steps.contains)
        #expect(steps.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == order)
    }

    @Test(arguments: [false, true])
    func `a run reports all steps in order`(isDryRun: Bool) async throws {
        let reported = try await Self.progress { store, report in
            _ = try await store.recluster(isDryRun: isDryRun, progress: report)
        }
        Self.check(reported)
        #expect(Set(reported.map(\.step)) == Set(ClusteringStep.allCases))
    }
}

/// The partition is determined by the texts alone.
@Suite(.temporaryFolders) struct ClusterIndependenceTests {
    /// Copies the notes to a new folder, ingests them in the given order, and returns the clusters as sets of texts.
    func clusters(reversed: Bool, seed: UInt64) async throws -> Set<Set<String>> {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Fixtures.folder.appendingPathComponent("notes"), to: folder)
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let subjects = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
        for subject in reversed ? subjects.reversed() : subjects where subject.hasDirectoryPath {
            try await store.ingest(folder: subject)
        }
        _ = try await store.recluster(seed: seed)
        var texts: [Entry.ID: String] = [:]
        for try await entry in store.entries() { texts[entry.id] = entry.content }
        var members: [Cluster.ID: Set<String>] = [:]
        for assignment in try await store.storage.snapshot().assignments(of: nil) {
            guard let cluster = assignment.cluster, let text = texts[assignment.entry] else { continue }
            members[cluster, default: []].insert(text)
        }
        return Set(members.values)
    }

    @Test func `folder, order of ingestion and seed do not change the clusters`() async throws {
        let first = try await clusters(reversed: false, seed: 1)
        #expect(first.count > 1)
        #expect(try await clusters(reversed: true, seed: 2) == first)
    }
}

/// Tests of entries that are moved between clusters, and of clusters that are found by a text.
struct ClusterMoveTests {
    private func store() async throws -> (KnowledgeStore, [Cluster]) {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let drafts = (0..<80).map { EntryDraft(content: "\(SampleTexts.subjects[$0 % 4]) \($0)") }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        return (store, try await store.recluster(clusters: 4, seed: 1).clusters)
    }

    private func members(_ store: KnowledgeStore) async throws -> [Cluster.ID: Set<Entry.ID>] {
        let clusters = try await store.clusters.all()
        return Dictionary(clusters.map { ($0.id, Set($0.members)) }) { first, _ in first }
    }

    @Test func `entries are moved to a cluster or out of all, and others stay`() async throws {
        let (store, made) = try await store()
        let before = try await members(store)
        let (source, target) = (made[0].id, made[1].id)
        let moved = try #require(before[source]?.sorted { $0.uuidString < $1.uuidString }.prefix(3))
        let present = try #require(before[target]?.first)
        #expect(try await store.clusters.move(Array(moved) + [present], to: target) == 3)
        let after = try await members(store)
        #expect(after[target] == before[target]?.union(moved))
        #expect(after[source] == before[source]?.subtracting(moved))
        for cluster in made[2...] { #expect(after[cluster.id] == before[cluster.id]) }
        let assignments = try await store.storage.snapshot().assignments(of: Array(moved))
        #expect(assignments.allSatisfy { $0.run == nil && $0.cluster == target })
        #expect(try await store.clusters.move([moved[0]], to: nil) == 1)
        var unclustered = EntryFilter()
        unclustered.isUnclustered = true
        #expect(try await store.count(matching: unclustered) == 1)
        // A cluster without members ends.
        #expect(try await store.clusters.move(Array(try #require(after[source])), to: target) == 17)
        #expect(try await store.clusters.all().map(\.id).contains(source) == false)
    }

    @Test func `unknown entries and clusters change nothing`() async throws {
        let (store, made) = try await store()
        let before = try await members(store)
        let entry = try #require(made[0].members.first ?? before[made[0].id]?.first)
        await #expect(throws: RoostError.self) {
            try await store.clusters.move([entry, UUID()], to: made[1].id)
        }
        await #expect(throws: RoostError.self) { try await store.clusters.move([entry], to: UUID()) }
        #expect(try await members(store) == before)
    }

    @Test func `clusters are found by a text, the most similar one first`() async throws {
        let (store, made) = try await store()
        for subject in SampleTexts.subjects.prefix(4) {
            let matches = try await store.clusters.matching(subject)
            #expect(matches.count == 4 && matches[0].similarity > matches[1].similarity)
            let members = matches[0].cluster.members
            let texts = try await store.storage.snapshot().entries(members).map(\.content)
            #expect(texts.allSatisfy { $0.hasPrefix(subject) }, "\(subject)")
        }
        #expect(made.count == 4)
        await #expect(throws: RoostError.self) { try await store.clusters.matching(" ") }
        let empty = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        #expect(try await empty.clusters.matching("bread").isEmpty)
    }
}

@Suite struct LargerClusterTests {
    @Test func `a larger cluster with a single cluster ends, unless a person labeled it`() async throws {
        let store = try await ClusterTests().store()
        let made = try await store.recluster(with: PairedClusters(count: 12)).clusters
        let parents = made.filter { cluster in made.contains { $0.parent == cluster.id } }
        try #require(parents.count >= 2)
        func children(of parent: Cluster) -> [Cluster] { made.filter { $0.parent == parent.id } }

        let merged = try await store.clusters.merge(children(of: parents[0]).map(\.id))
        #expect(merged.parent == nil)
        #expect(Set(merged.members) == Set(children(of: parents[0]).flatMap(\.members)))
        var clusters = try await store.storage.fetchClusters()
        #expect(!clusters.contains { $0.id == parents[0].id })

        try await store.clusters.label(parents[1].id, as: "Mine")
        let removed = children(of: parents[1]).dropFirst()
        try #require(!removed.isEmpty)
        for cluster in removed { try await store.clusters.delete(cluster.id) }
        clusters = try await store.storage.fetchClusters()
        #expect(clusters.first { $0.id == parents[1].id }?.label == "Mine")
        #expect(clusters.filter { $0.parent == parents[1].id }.count == 1)
        // Without the label, the next edit ends it.
        try await store.clusters.label(parents[1].id, as: nil)
        _ = try await store.clusters.split(merged.id)
        clusters = try await store.storage.fetchClusters()
        #expect(!clusters.contains { $0.id == parents[1].id })
    }
}

/// Groups vectors by spherical k-means, and each two of the groups in a larger one.
struct PairedClusters: Clusterer {
    let algorithm = "pairs"
    private let count: Int

    /// - Parameter count: The number of groups that have members, even.
    init(count: Int) { self.count = count }

    func cluster(_ vectors: Matrix) async throws -> Partition {
        let groups = try await SphericalKMeans(clusters: count, seed: 1).cluster(vectors).labels.map(\.group)
        let parents = (0..<count).map { count + $0 / 2 } + [Int?](repeating: nil, count: count / 2)
        return Partition(groups: groups, of: vectors, parents: parents)
    }
}

/// Puts all entries into one group.
struct OneGroup: Clusterer {
    let algorithm = "one-group"

    func cluster(_ vectors: Matrix) async throws -> Partition {
        Partition(groups: Array(repeating: 0, count: vectors.rows), of: vectors)
    }
}

@Suite struct UnknownWordTests {
    @Test func `a run over texts without words that the model knows names the model`() async throws {
        let storage = InMemoryStorageProvider()
        var entry = Entry(id: EntryID.derived(source: "s", key: "k"), content: "...")
        entry.embeddings = [Float](repeating: 0, count: 24)
        _ = try await storage.commit(WriteBatch(upserts: [entry]))
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let error = await #expect(throws: ClusteringError.self) { try await store.recluster() }
        #expect(error?.code == .noVectors)
        #expect(error?.message.contains("the model lexical knows") == true, "\(error?.message ?? "")")
    }
}

/// Tests of clusters of two scales, of runs over a part of a store, and of labels that runs keep.
@Suite struct ReclusterScaleTests {
    private static let subjects = [
        "bread oven dough flour", "boat sail wind keel", "star moon night sky", "bee hive honey queen",
    ]

    /// Creates a store with texts of the given subjects, which have the name of the subject as a tag.
    private func store(_ subjects: [Int], count: Int = 30) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for subject in subjects {
            let drafts = (0..<count).map {
                EntryDraft(content: "\(Self.subjects[subject]) \($0)", tags: ["s\(subject)"])
            }
            _ = try await store.ingest([SourceDraft(id: "\(subject)", fingerprint: "1", entries: drafts)])
        }
        return store
    }

    private func entries(_ store: KnowledgeStore, tag: String) async throws -> Set<Entry.ID> {
        let filter = EntryFilter(tags: [tag])
        return Set(try await store.storage.snapshot().ids(matching: filter))
    }

    @Test func `a run over a part of the store leaves all other clusters`() async throws {
        let store = try await store([0, 1, 2])
        let before = try await store.recluster(clusters: 3).clusters
        let part = try await entries(store, tag: "s0")
        let other = try #require(before.first { !$0.members.contains(where: part.contains) })
        try await store.clusters.label(other.id, as: "Mine")
        let filter = EntryFilter(tags: ["s0"])
        let report = try await store.recluster(clusters: 2, among: filter)
        let after = try await store.clusters.all()
        #expect(after.count == 4 && report.clusters.count == 4)
        #expect(after.first { $0.id == other.id }?.label == "Mine")
        #expect(after.first { $0.id == other.id }?.members.sorted() == other.members.sorted())
        let divided = after.filter { $0.members.contains(where: part.contains) }
        #expect(divided.count == 2 && Set(divided.flatMap(\.members)) == part)
        // A cluster of which only a part is clustered keeps the rest.
        let single = EntryFilter(ids: Set(other.members.prefix(10)))
        _ = try await store.recluster(clusters: 1, among: single)
        let last = try await store.clusters.all()
        #expect(last.first { $0.id == other.id }?.members.count == 20)
        #expect(Set(last.flatMap(\.members)).count == 90)
        let error = await #expect(throws: RoostError.self) {
            try await store.recluster(among: EntryFilter(ids: [UUID()]))
        }
        #expect(error?.code == .notFound)
    }

    @Test func `a cluster that a person labeled is kept by a run that would join it with others`()
        async throws
    {
        let store = try await store([0, 1, 2, 3])
        let clusters = try await store.recluster(clusters: 4).clusters
        let bread = try #require(clusters.first { $0.keywords.contains { $0.contains("bread") } })
        try await store.clusters.label(bread.id, as: "Baking")
        let report = try await store.recluster(with: OneGroup())
        let kept = try #require(report.clusters.first { $0.id == bread.id })
        #expect((kept.label, kept.members.sorted()) == ("Baking", bread.members.sorted()))
        #expect(report.clusters.count == 2 && report.notices.isEmpty)
        // Only the removal of most of its texts ends it.
        _ = try await store.storage.commit(WriteBatch(removals: bread.members.suffix(20)))
        let ended = try await store.recluster(with: OneGroup()).ended
        #expect(ended.map(\.label) == ["Baking"])
    }

    @Test func `topics keep their ids, and can be merged with their group`() async throws {
        let store = try await store([0, 1, 2, 3])
        let first = try await store.recluster(clusters: 1).clusters
        let group = try #require(first.first { $0.parent == nil })
        let topics = first.filter(\.isTopic)
        #expect(topics.count == 4 && topics.allSatisfy { $0.parent == group.id && $0.members.count == 30 })
        #expect(group.members.isEmpty && first.count == 5)
        // New entries join the nearest topic.
        let added = try await store.add("bread oven dough flour again").id
        let assignment = try await store.storage.snapshot().assignments(of: [added]).first
        let bread = try #require(topics.first { $0.keywords.contains { $0.contains("bread") } })
        #expect(assignment?.cluster == bread.id)
        let again = try await store.recluster(clusters: 1).clusters
        #expect(Set(again.map(\.id)) == Set(first.map(\.id)))
        let export = try await store.clusters.export()
        #expect(export.cluster(bread.id)?.topic == true && export.cluster(group.id)?.topic == nil)
        #expect(export.cluster(group.id)?.months.values.reduce(0, +) == 121)
        // A group that ends with its topics leaves one cluster.
        _ = try await store.clusters.split(group.id)
        let parts = try await store.clusters.all()
        #expect(parts.count == 2 && parts.allSatisfy { $0.parent == nil && !$0.isTopic })
    }
}
