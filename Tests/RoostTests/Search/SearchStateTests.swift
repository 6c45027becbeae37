import RoostFiles
import RoostModel
import Synchronization
import Testing

@testable import Roost

/// Searches during commits of other writers.
@Suite struct SearchStateTests {
    /// Lets two writers commit before each call to a storage or a snapshot, and counts the snapshots. Each commit
    /// replaces the texts and vectors of all entries, removes an entry, and adds one.
    private final class Writers: StorageInterceptor {
        let base = InMemoryStorageProvider()
        let embedder = LexicalEmbedder(dimension: 64)
        private let state = Mutex((generation: 0, snapshots: 0, isActive: false))
        /// The generation that was committed with each revision.
        let generations = Mutex<[Revision: Int]>([:])

        private let queue = TaskQueue()

        func commit() async throws { try await queue.run { try await commitNext() } }

        private func commitNext() async throws {
            let generation = state.withLock { state in
                state.generation += 1
                return state.generation
            }
            let texts = (0..<12).map { "a swift number \($0) of generation \(generation) on the roof" }
            let vectors = try await embedder.embed(texts, as: .document)
            let entries = texts.indices.map { index in
                // The last entry has another id in each generation.
                var entry = Entry(
                    id: EntryID.derived(source: "s", key: index < 11 ? "\(index)" : "new \(generation)"),
                    content: texts[index])
                entry.metadata = ["generation": .integer(Int64(generation))]
                entry.embeddings = vectors.vectors.row(index)
                return entry
            }
            let removed = EntryID.derived(source: "s", key: "new \(generation - 1)")
            let revision = try await base.commit(WriteBatch(upserts: entries, removals: [removed]))
            generations.withLock { $0[revision] = generation }
        }

        func intercept<Value: Sendable>(
            _ call: StorageCall, size: Int, _ body: () async throws -> Value
        ) async throws -> Value {
            if call == .snapshot { state.withLock { $0.snapshots += 1 } }
            if state.withLock({ $0.isActive }) { for _ in 0..<2 { try await commit() } }
            return try await body()
        }

        /// Runs `body` during the commits, and returns its result and the number of its snapshots.
        func whileWriting<Value>(_ body: () async throws -> Value) async throws -> (Value, snapshots: Int) {
            let before = state.withLock { state in
                state.isActive = true
                return state.snapshots
            }
            let value = try await body()
            return (
                value,
                state.withLock { state in
                    state.isActive = false
                    return state.snapshots - before
                }
            )
        }
    }

    @Test(arguments: SearchMode.allCases)
    func `a search reads one snapshot, and its hits belong to one revision`(mode: SearchMode) async throws {
        let writers = Writers()
        try await writers.commit()
        let store = KnowledgeStore(
            storage: InterceptedStorage(writers.base, by: writers), embedder: writers.embedder)
        for limit in [1, 5, 20] {
            var search = EntrySearch(
                "swifts on the rooof -boat", matching: [.metadata("generation") > 0], limit: limit)
            search.mode = mode
            search.includesAll = true
            search.visible = [.metadata("generation") > 0]
            let (result, snapshots) = try await writers.whileWriting { try await store.search(search) }
            #expect(snapshots == 1)
            #expect(result.hits.count == min(limit, 12) && result.candidateCount == 12)
            let generation = writers.generations.withLock { $0[result.stamp.revision] }
            for hit in result.hits {
                #expect(
                    hit.entry.metadata["generation"] == generation.map { MetadataValue.integer(Int64($0)) })
            }
        }
    }

    @Test func `searches with several subjects read one snapshot together`() async throws {
        let writers = Writers()
        try await writers.commit()
        let store = KnowledgeStore(
            storage: InterceptedStorage(writers.base, by: writers), embedder: writers.embedder)
        let id = EntryID.derived(source: "s", key: "3")
        let searches = [EntrySearch("swift"), EntrySearch(.entries([id])), EntrySearch(.document("a roof"))]
        let (results, snapshots) = try await writers.whileWriting { try await store.search(searches) }
        #expect(snapshots == 1)
        #expect(Set(results.map(\.stamp.revision)).count == 1)
        #expect(results.allSatisfy { !$0.hits.isEmpty })
    }
}
