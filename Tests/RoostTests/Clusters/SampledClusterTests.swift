import Foundation
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import Roost

/// Tests of runs that cluster a sample because the store has more entries than the limit.
struct SampledClusterTests {
    private static let groupCount = 4
    private static let groupSize = 600
    private static let limit = 240

    /// Entries of four distinct groups, by turns.
    private static let entries: [Entry] = {
        var generator = SeededGenerator(seed: 5)
        func random(_ scale: Double) -> [Float] {
            (0..<16).map { _ in Float(scale * generator.nextNormal()) }
        }
        let centers = (0..<groupCount).map { _ in random(1) }
        return (0..<groupCount * groupSize).map { number in
            let group = number % groupCount
            return Entry(
                id: EntryID.derived(source: "s", key: "\(number)"),
                content: "\(SampleTexts.subjects[group]) number\(number)",
                embeddings: normalized(zip(centers[group], random(0.2)).map { $0 + $1 }))
        }
    }()

    private static let groups = Set(
        (0..<groupCount).map { group in
            Set(entries.indices.filter { $0 % groupCount == group }.map { entries[$0].id })
        })

    private func store(_ entries: [Entry] = Self.entries) async throws -> KnowledgeStore {
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: entries))
        return KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
    }

    /// Returns the members of the clusters at the top level by their ids.
    private func groups(_ store: KnowledgeStore) async throws -> [Cluster.ID: Set<Entry.ID>] {
        let clusters = try await store.storage.fetchClusters()
        let members = clusters.membersByCluster().mapValues { Set($0) }
        return members.filter { id, _ in clusters.contains { $0.id == id && $0.parent == nil } }
    }

    @Test func `a sample has the groups of all entries, whatever the order of insertion`() async throws {
        var digests: Set<String?> = []
        for entries in [Self.entries, Self.entries.reversed()] {
            let store = try await store(entries)
            _ = try await store.recluster(maximumOutliers: 0)
            #expect(Set(try await groups(store).values) == Self.groups)
            // A run that starts from scratch does not keep entries in a cluster that a person moved them to.
            let other = try await groups(store).first { $0.value.contains(Self.entries[1].id) }
            _ = try await store.clusters.move(
                [Self.entries[0].id, Self.entries[2].id], to: try #require(other).key)
            let report = try await store.recluster(
                maximumOutliers: 0, maximumVectors: Self.limit, ignoringPreviousRun: true)
            #expect(Set(try await groups(store).values) == Self.groups)
            let sampled = try #require(report.run.parameters["sampledEntries"]?.double)
            #expect(sampled > 100 && sampled < 2 * Double(Self.limit))
            #expect(report.clusters.reduce(0) { $0 + $1.members.count } == entries.count)
            digests.insert(report.run.dataDigest)
        }
        #expect(digests.count == 1)
    }

    @Test(arguments: [false, true])
    func `clusters keep their ids when a limit is set and removed`(isFresh: Bool) async throws {
        let store = try await store()
        var known: Set<Cluster.ID>?
        for limit in [10_000, Self.limit, 10_000] {
            let report = try await store.recluster(
                maximumOutliers: 0, maximumVectors: limit, ignoringPreviousRun: isFresh)
            let ids = Set(try await groups(store).keys)
            #expect(known.map { $0 == ids } ?? true)
            known = ids
            guard limit == Self.limit else { continue }
            // The origins count all entries and not only the sample.
            let groups = report.clusters.filter { $0.parent == nil }
            let own = groups.compactMap { group in group.origins.first { $0.cluster == group.id } }
            #expect(own.map(\.shared) == groups.map { _ in Self.groupSize })
        }
    }

    @Test(arguments: [6, 30])
    func `a labeled part of a group keeps its members`(partCount: Int) async throws {
        let store = try await store()
        let first = try await store.recluster(maximumOutliers: 0).clusters
        let group = try #require(first.first { $0.parent == nil })
        // The sample has up to 100 entries of the part, and one of ten others.
        let part = try #require(try await store.clusters.split(group.id, into: partCount).last)
        #expect(part.members.count < 2 * Self.groupSize / partCount)
        try await store.clusters.label(part.id, as: "Mine")
        _ = try await store.recluster(
            maximumOutliers: 0, maximumVectors: Self.limit, ignoringPreviousRun: true)
        let kept = try await store.storage.fetchClusters().first { $0.id == part.id }
        #expect(kept?.label == "Mine" && kept?.isLabelPinned == true)
        #expect(kept.map { Set($0.members) } == Set(part.members))
    }

    @Test func `a run over a part of a store samples the part, and the rest keeps its clusters`() async throws
    {
        var entries = Self.entries
        // Of the second group, only two entries are not in the part.
        for number in entries.indices where number % Self.groupCount < 2 { entries[number].tags = ["part"] }
        for number in [1, 5] { entries[number].tags = [] }
        let store = try await store(entries)
        _ = try await store.recluster(maximumOutliers: 0)
        let before = try await groups(store)
        _ = try await store.recluster(
            clusters: 3, among: [.tag("part")], maximumVectors: Self.limit)
        let after = try await groups(store)
        let part = Set(entries.filter { !$0.tags.isEmpty }.map(\.id))
        #expect(after.values.filter { $0.isSubset(of: part) }.count == 3)
        #expect(after.values.reduce(0) { $0 + $1.count } == entries.count)
        for (id, members) in before where members.isDisjoint(with: part) { #expect(after[id] == members) }
    }
}
