import Foundation
import Roost
import RoostModel
import RoostPostgres
import RoostVectors
import Testing

/// A search in the database finds what a search with the client's index finds.
@Suite(TestServer.isRequired) struct DatabaseSearchTests {
    private static let words = [
        "swift", "garden", "water", "roof", "spring", "saturn", "ring", "ice", "bread", "starter", "flour",
        "nest", "river", "stone", "window", "light",
    ]

    /// Returns a text of some of the words. A long text has several passages.
    private static func text(_ number: Int, isLong: Bool) -> String {
        (0..<(isLong ? 900 : 6)).map { words[(number * 7 + $0 * (number % 5 + 1) + $0 / 9) % words.count] }
            .joined(separator: " ")
    }

    /// Returns a store with entries, some of which have several passages, were changed or removed.
    private func filledStore(
        _ server: TestServer, _ count: Int, exactSearchLimit: Int = 20_000
    ) async throws -> KnowledgeStore {
        var options = PostgresStorageProvider.Options()
        options.exactSearchLimit = exactSearchLimit
        let storage = try await PostgresStorageProvider(
            address: try server.settings(), name: TestServer.newName(), options: options)
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        var ids: [Entry.ID] = []
        for number in 0..<count {
            let added = try await store.add(
                Self.text(number, isLong: number % 11 == 3) + " number\(number)",
                tags: number % 2 == 0 ? ["even"] : ["odd"], metadata: ["number": .integer(Int64(number))])
            ids.append(added.id)
        }
        var changed = try await storage.snapshot().entries([ids[0]])[0]
        changed.tags = ["even", "changed"]
        try await storage.saveEntry(changed)
        try await store.remove(ids[1])
        return store
    }

    private static var searches: [EntrySearch] {
        var searches: [EntrySearch] = []
        for filter: EntryFilter in [.all, [.tag("even")], [.metadata("number") >= 30, .tag("odd")]] {
            for text in ["water in the garden", "\"roof spring\" -bread", "bread starter flour", "number7"] {
                for mode in SearchMode.allCases {
                    var search = EntrySearch(text, matching: filter, limit: 7)
                    search.mode = mode
                    search.includesAll = mode == .vector
                    searches.append(search)
                }
            }
        }
        var deep = EntrySearch("river stone", limit: 1000)
        deep.includesAll = true
        searches.append(deep)
        deep.limit = 20
        deep.offset = 3
        searches.append(deep)
        return searches
    }

    private func expectEqual(_ found: QueryResult, _ expected: QueryResult, _ search: EntrySearch) {
        let name: Comment = "\(search.subject) \(search.mode) \(search.filter)"
        #expect(found.hits.map(\.entry.id) == expected.hits.map(\.entry.id), name)
        #expect(found.hits.map(\.passage.ordinal) == expected.hits.map(\.passage.ordinal), name)
        for (one, other) in zip(found.hits, expected.hits) {
            #expect(abs(one.score - other.score) < 1e-4, name)
        }
        #expect(found.candidateCount == expected.candidateCount, name)
        #expect(found.nearest.map(\.entry.id) == expected.nearest.map(\.entry.id), name)
    }

    @Test(arguments: TestServer.available)
    func `both places give the same results`(server: TestServer) async throws {
        var store = try await filledStore(server, 90)
        for search in Self.searches {
            store.settings.searchPlace = .client
            let expected = try await store.search(search)
            #expect(expected.databasePlan == nil)
            store.settings.searchPlace = .database
            expectEqual(try await store.search(search), expected, search)
        }
        // Several searches at once, and other subjects.
        var similar = EntrySearch(.entries([try await store.storage.fetchEntries()[5].id]), limit: 5)
        similar.isExact = true
        let many = Array(Self.searches.prefix(12)) + [similar]
        store.settings.searchPlace = .client
        let expected = try await store.search(many)
        store.settings.searchPlace = .database
        for (index, found) in try await store.search(many).enumerated() {
            expectEqual(found, expected[index], many[index])
        }
        try await store.close()
    }

    @Test func `both places calibrate scores with the same passages`() async throws {
        let storage = try await PostgresFixture().provider()
        // More entries than the sample has. All vectors are so near each other that the sample determines where the
        // scale of cosines begins, and those of the last third are nearer.
        func vector(_ number: Int) -> [Float] {
            normalized(NearestPassageTests.vector(number).map { $0 + (number < 600 ? 0.5 : 1) })
        }
        let entries = (0..<900).map { Entry(content: "text \($0)", embeddings: vector($0)) }
        try await storage.saveEntries(entries)
        var store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder(dimension: 16))
        var search = EntrySearch(.vector(vector(900)), limit: 3)
        for visible: EntryFilter? in [nil, EntryFilter(ids: Set(entries.prefix(700).map(\.id)))] {
            search.visible = visible
            store.settings.searchPlace = .client
            let expected = try await store.search(search)
            #expect(expected.hits.count == 3)
            store.settings.searchPlace = .database
            expectEqual(try await store.search(search), expected, search)
        }
        try await store.close()
    }

    @Test(arguments: TestServer.available)
    func `the index gives the same results in a small store`(server: TestServer) async throws {
        var store = try await filledStore(server, 60, exactSearchLimit: 5)
        store.settings.searchPlace = .database
        #expect(try await store.index.databaseState()?.isComplete == false)
        let state = try #require(try await store.index.buildInDatabase())
        #expect(state.isComplete && state.bytes > 0)
        // The next build finds the complete index.
        #expect(try await store.index.buildInDatabase() == state)
        // Later changes are in the index, too.
        let added = try await store.add("water for the garden and for the nest", tags: ["even"])
        var methods = Set<PassageSearchPlan.Method>()
        for search in Self.searches {
            store.settings.searchPlace = .client
            let expected = try await store.search(search)
            store.settings.searchPlace = .database
            let found = try await store.search(search)
            expectEqual(found, expected, search)
            if let plan = found.databasePlan { methods.insert(plan.method) }
        }
        #expect(methods.contains(.index) || methods.contains(.indexThenExactScan))
        let found = try await store.search("water garden nest")
        #expect(found.hits.contains { $0.entry.id == added.id })
        try await store.close()
    }

    @Test func `the place is chosen by the setting and by the size`() async throws {
        var store = try await filledStore(.main, 3)
        #expect(try await store.index.place() == .client)
        store.settings.searchPlace = .database
        #expect(try await store.index.place() == .database)
        try await store.close()
        var local = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        local.settings.searchPlace = .database
        #expect(try await local.index.place() == .client)
        #expect(try await local.index.buildInDatabase() == nil)
    }

    @Test func `an empty store has no hits and no index`() async throws {
        let storage = try await PostgresFixture().provider()
        var store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        store.settings.searchPlace = .database
        #expect(try await store.search("anything").hits.isEmpty)
        let error = await #expect(throws: StorageError.self) { _ = try await store.index.buildInDatabase() }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("no vectors") == true)
    }
}
