import Testing

@testable import Roost

/// Tests of the search for near-duplicates with unusual vectors.
@Suite struct DuplicateFinderTests {
    /// Replaces the first component of each page of vectors with infinity, as a custom storage that does not
    /// check vectors could contain it.
    private struct InfiniteComponent: StorageInterceptor {
        func intercept<Value: Sendable>(
            _ call: StorageCall, size: Int, _ body: () async throws -> Value
        ) async throws -> Value {
            let value = try await body()
            guard var page = value as? VectorPage, page.vectors.rows > 0 else { return value }
            var elements = page.vectors.elements
            elements[0] = .infinity
            page.vectors = Matrix(
                rows: page.vectors.rows, columns: page.vectors.columns, elements: elements)
            return page as? Value ?? value
        }
    }

    @Test func `entries whose vectors are not finite are not duplicates`() async throws {
        let entries = ["one", "two", "three"].map { Entry(content: $0, embeddings: [1, 0]) }
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: entries))
        let store = KnowledgeStore(
            storage: InterceptedStorage(storage, by: InfiniteComponent()), embedder: LexicalEmbedder())
        let groups = try await store.duplicates(threshold: 0.9)
        #expect(groups.map(\.entries) == [[entries[1].id, entries[2].id]])
    }
}
