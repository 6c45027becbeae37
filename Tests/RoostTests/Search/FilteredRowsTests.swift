import Foundation
import RoostVectors
import Testing

@testable import Roost

/// Tests of the rows of filters that searches keep.
@Suite struct FilteredRowsTests {
    private func store() async throws -> (KnowledgeStore, [Entry.ID]) {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        var ids: [Entry.ID] = []
        for text in ["the swift above the roof", "a boat below the bridge", "bread in the oven"] {
            ids.append(try await store.add(text).id)
        }
        return (store, ids)
    }

    private func found(_ store: KnowledgeStore, _ filter: EntryFilter) async throws -> Set<Entry.ID> {
        var search = EntrySearch("the roof and the bridge", matching: filter, limit: 10)
        search.includesAll = true
        return Set(try await store.search(search).hits.map(\.entry.id))
    }

    @Test func `a repeated filter finds the entries that match after each commit`() async throws {
        let (store, ids) = try await store()
        let filter = EntryFilter(tags: ["kept"])
        #expect(try await found(store, filter).isEmpty)
        for count in 1...ids.count {
            _ = try await store.addTag("kept", to: [ids[count - 1]])
            for _ in 0..<2 { #expect(try await found(store, filter) == Set(ids.prefix(count))) }
        }
        _ = try await store.remove([ids[0]])
        #expect(try await found(store, filter) == Set(ids.dropFirst()))
    }

    @Test func `filters that differ only in Unicode normalization are kept apart, but find the same tags`()
        async throws
    {
        let (store, ids) = try await store()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        _ = try await store.addTag(composed, to: [ids[0]])
        _ = try await store.addTag(decomposed, to: [ids[1]])
        #expect(EntryFilter(tags: [composed]) != EntryFilter(tags: [decomposed]))
        #expect(
            EntryFilter(metadata: ["a": composed]) != EntryFilter(metadata: ["a": decomposed]))
        #expect(
            EntryCondition(.metadata(composed), .exists) != EntryCondition(.metadata(decomposed), .exists))
        for _ in 0..<2 {
            #expect(try await found(store, EntryFilter(tags: [composed])) == Set(ids.prefix(2)))
            #expect(try await found(store, EntryFilter(tags: [decomposed])) == Set(ids.prefix(2)))
        }
        let searches = [composed, decomposed].map { tag -> EntrySearch in
            var search = EntrySearch("the roof and the bridge", matching: EntryFilter(tags: [tag]), limit: 10)
            search.includesAll = true
            return search
        }
        let results = try await store.search(searches).map { Set($0.hits.map(\.entry.id)) }
        #expect(results == [Set(ids.prefix(2)), Set(ids.prefix(2))])
    }

    @Test func `more filters than are kept give the right entries in any order`() async throws {
        let (store, ids) = try await store()
        for number in 0..<40 {
            _ = try await store.addTag("t\(number)", to: [ids[number % 3]])
        }
        for number in (0..<40).reversed() + (0..<40) {
            #expect(try await found(store, EntryFilter(tags: ["t\(number)"])) == [ids[number % 3]])
        }
    }

    @Test func `a set of rows by a condition equals one by insertion`() {
        for count: UInt32 in [0, 1, 63, 64, 65, 1000] {
            let rows = RowSet(0..<count) { $0 % 7 == 3 || $0 > 900 }
            #expect(rows == RowSet((0..<count).filter { $0 % 7 == 3 || $0 > 900 }))
            #expect(Array(rows) == (0..<count).filter { $0 % 7 == 3 || $0 > 900 })
        }
    }
}
