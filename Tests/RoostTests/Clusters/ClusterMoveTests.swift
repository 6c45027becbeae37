import Foundation
import Roost
import RoostTestKit
import TestSupport
import Testing

/// Tests of entries that are moved between clusters, and of clusters that are found by a text.
struct ClusterMoveTests {
    private func store() async throws -> (KnowledgeStore, [Cluster]) {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let drafts = (0..<80).map { EntryDraft(content: "\(SampleTexts.subjects[$0 % 4]) \($0)") }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        return (store, try await store.recluster(clusters: 4, seed: 1).clusters)
    }

    private func members(_ store: KnowledgeStore) async throws -> [Cluster.ID: Set<Entry.ID>] {
        let clusters = try await store.clusters()
        return Dictionary(clusters.map { ($0.id, Set($0.members)) }) { first, _ in first }
    }

    @Test func `entries are moved to a cluster or out of all, and others stay`() async throws {
        let (store, made) = try await store()
        let before = try await members(store)
        let (source, target) = (made[0].id, made[1].id)
        let moved = try #require(before[source]?.sorted { $0.uuidString < $1.uuidString }.prefix(3))
        let present = try #require(before[target]?.first)
        #expect(try await store.moveEntries(Array(moved) + [present], to: target) == 3)
        let after = try await members(store)
        #expect(after[target] == before[target]?.union(moved))
        #expect(after[source] == before[source]?.subtracting(moved))
        for cluster in made[2...] { #expect(after[cluster.id] == before[cluster.id]) }
        let assignments = try await store.storage.snapshot().assignments(of: Array(moved))
        #expect(assignments.allSatisfy { $0.run == nil && $0.cluster == target })
        #expect(try await store.moveEntries([moved[0]], to: nil) == 1)
        var unclustered = EntryFilter()
        unclustered.isUnclustered = true
        #expect(try await store.count(matching: unclustered) == 1)
        // A cluster without members ends.
        #expect(try await store.moveEntries(Array(try #require(after[source])), to: target) == 17)
        #expect(try await store.clusters().map(\.id).contains(source) == false)
    }

    @Test func `unknown entries and clusters change nothing`() async throws {
        let (store, made) = try await store()
        let before = try await members(store)
        let entry = try #require(made[0].members.first ?? before[made[0].id]?.first)
        await #expect(throws: RoostError.self) {
            try await store.moveEntries([entry, UUID()], to: made[1].id)
        }
        await #expect(throws: RoostError.self) { try await store.moveEntries([entry], to: UUID()) }
        #expect(try await members(store) == before)
    }

    @Test func `clusters are found by a text, the most similar one first`() async throws {
        let (store, made) = try await store()
        for subject in SampleTexts.subjects.prefix(4) {
            let matches = try await store.clusters(matching: subject)
            #expect(matches.count == 4 && matches[0].similarity > matches[1].similarity)
            let members = matches[0].cluster.members
            let texts = try await store.storage.snapshot().entries(members).map(\.content)
            #expect(texts.allSatisfy { $0.hasPrefix(subject) }, "\(subject)")
        }
        #expect(made.count == 4)
        await #expect(throws: RoostError.self) { try await store.clusters(matching: " ") }
        let empty = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        #expect(try await empty.clusters(matching: "bread").isEmpty)
    }
}
