import Foundation
import Roost
import Testing

struct MemoryGraphTests {
    private static let lines = """
        {"type":"entity","name":"Ana","entityType":"","observations":["plays the cello"]}
        {"type":"entity","name":"AC/DC","entityType":"band","observations":["see [[Ana]]"]}
        {"type":"entity","name":"Ana","entityType":"person","observations":["plays the cello","lives in Porto"]}
        {"type":"relation","from":"Ana","to":"AC/DC","relationType":"likes"}
        {"type":"relation","from":"Ana","to":"AC/DC","relationType":"likes"}
        {"type":"relation","from":"Ana","to":"AC/DC","relationType":"knows"}
        """

    private func importedStore() async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for name in ["one", "two"] {
            let data = Data(Self.lines.utf8)
            let graph = try MemoryGraph(data, name: name)
            _ = try await store.ingest([
                graph.draft(id: MemoryGraph.source(ofPath: "/\(name).jsonl"), of: data)
            ])
        }
        return store
    }

    private func entity(
        _ key: String, of name: String, in store: KnowledgeStore
    ) async throws -> Entry {
        let source = MemoryGraph.source(ofPath: "/\(name).jsonl")
        for try await entry in store.entries(matching: EntryFilter(sources: [source])) where entry.key == key
        {
            return entry
        }
        throw RoostError(.notFound, "the store has no entity \(key)")
    }

    @Test func `a repeated entity has its first type that is not empty, and each observation once`()
        async throws
    {
        let store = try await importedStore()
        let ana = try await entity("Ana", of: "one", in: store)
        #expect(ana.metadata["entityType"] == "person")
        #expect(ana.content.components(separatedBy: "plays the cello").count == 2)
        #expect(ana.content.contains("lives in Porto"))
        #expect(ana.metadata["links"] == ["AC/DC"])
    }

    @Test func `relations lead to the entities of the same graph`() async throws {
        let store = try await importedStore()
        let ana = try await entity("Ana", of: "two", in: store)
        let band = try await entity("AC/DC", of: "two", in: store)
        #expect(try await store.links(of: ana.id).map(\.destination) == [.entry(band.id)])
        #expect(try await store.backlinks(to: band.id).map(\.id) == [ana.id])
        #expect(try await store.brokenLinks().isEmpty)
    }

    @Test func `a relation to an entity that was removed is a broken link`() async throws {
        let store = try await importedStore()
        let ana = try await entity("Ana", of: "one", in: store)
        try await store.remove(try await entity("AC/DC", of: "one", in: store).id)
        let broken = try await store.brokenLinks()
        #expect(broken.map(\.id) == [ana.id])
        #expect(broken.first?.link.link.target == "AC/DC")
    }

    @Test func `a relation leads to an entity with a changed title`() async throws {
        let store = try await importedStore()
        let ana = try await entity("Ana", of: "one", in: store)
        let band = try await entity("AC/DC", of: "one", in: store)
        var changes = EntryChanges()
        changes.metadata["title"] = "The band"
        try await store.update(band.id, changes)
        #expect(try await store.links(of: ana.id).map(\.destination) == [.entry(band.id)])
        #expect(try await store.backlinks(to: band.id).map(\.id) == [ana.id])
    }
}
