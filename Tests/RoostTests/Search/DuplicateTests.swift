import RoostModel
import RoostText
import RoostVectors
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

struct NearDuplicatesTests {
    /// Returns entries in groups with similar vectors. Some have no vector, and some a shorter one.
    private func entries(_ count: Int) -> [Entry] {
        var generator = SeededGenerator(seed: 3)
        let centers = (0..<30).map { _ in (0..<8).map { _ in Float(generator.nextNormal()) } }
        return (0..<count).map { index in
            var entry = Entry(content: "text \(index % 50)")
            let dimension = index % 11 == 0 ? 0 : index % 7 == 0 ? 4 : 8
            let center = centers[generator.nextIndex(below: centers.count)]
            entry.embeddings = normalized(
                center.prefix(dimension).map { $0 + 0.2 * Float(generator.nextNormal()) })
            return entry
        }
    }

    private func areDuplicates(_ first: Entry, _ second: Entry, _ threshold: Float) -> Bool {
        if first.content == second.content { return true }
        guard !first.embeddings.isEmpty, first.embeddings.count == second.embeddings.count else {
            return false
        }
        return innerProduct(first.embeddings, second.embeddings) >= threshold
    }

    @Test(arguments: [-1, 0.5, 0.95, 2] as [Float])
    func `the first near-duplicate is the one that single comparisons find`(threshold: Float) {
        let entries = entries(400)
        var (expected, firsts) = ([Int?](), [Entry]())
        for entry in entries {
            let first = firsts.firstIndex { areDuplicates($0, entry, threshold) }
            expected.append(first)
            if first == nil { firsts.append(entry) }
        }
        var (duplicates, found) = (NearDuplicates(threshold: threshold), [Int?]())
        for entry in entries {
            found.append(duplicates.first(similarTo: entry))
            if found.last == .some(nil) { duplicates.add(entry) }
        }
        #expect(found == expected)
    }

    @Test func `texts that differ in their bytes are different`() {
        var duplicates = NearDuplicates(threshold: 0.9)
        duplicates.add(Entry(content: "caf\u{E9}"))
        #expect(duplicates.first(similarTo: Entry(content: "cafe\u{301}")) == nil)
        #expect(duplicates.first(similarTo: Entry(content: "caf\u{E9}")) == 0)
    }
}
