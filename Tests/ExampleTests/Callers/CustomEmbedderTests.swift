import Foundation
import Roost
import Testing

/// An embedder whose answers contradict the requirements in one way.
struct FaultyEmbedder: Embedder {
    enum Fault: String, CaseIterable {
        case missingTokenCounts, missingOmittedTokens, tooFewVectors, wrongDimension, notFinite
        case zeroDimension, negativeDimension
    }

    var fault: Fault?
    var maximumTokens: Int? = 8
    /// Returns the ranges of the tokens of a text with a number of bytes.
    var ranges: @Sendable (Int) -> [Range<Int>] = { size in (0..<size).map { $0..<$0 + 1 } }

    var space: EmbeddingSpace {
        let dimension = fault == .zeroDimension ? 0 : fault == .negativeDimension ? -4 : 4
        return EmbeddingSpace(model: "faulty", revision: "1", dimension: dimension, pooling: "none")
    }

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        var rows = texts.map { text -> [Float] in
            [Float(text.utf8.count % 7), Float(text.utf8.first ?? 0), 1, 2]
        }
        if fault == .tooFewVectors { rows = Array(rows.dropLast()) }
        if fault == .notFinite { rows = rows.map { _ in [.nan, 0, .infinity, 0] } }
        let isShort = fault == .wrongDimension
        if isShort { rows = rows.map { Array($0.prefix(3)) } }
        let counts = [Int](repeating: .max, count: rows.count)
        var result = Embeddings(
            vectors: Matrix(rows, columns: isShort ? 3 : 4), tokenCounts: counts, omittedTokens: counts)
        if fault == .missingTokenCounts { result.tokenCounts = [] }
        if fault == .missingOmittedTokens { result.omittedTokens = [] }
        return result
    }

    func tokenRanges(in text: String) -> [Range<Int>] { ranges(text.utf8.count) }
}

/// An embedder that implements only the three requirements without a default.
private struct SmallEmbedder: Embedder {
    let space = EmbeddingSpace(model: "small", revision: "1", dimension: 2, pooling: "none")
    let maximumTokens: Int? = 100

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        Embeddings(vectors: Matrix(texts.map { [1, Float($0.utf8.count % 3)] }, columns: 2))
    }
}

/// Tests of embedders that a caller wrote. A faulty one must cause an error, and leave the store unchanged.
struct CustomEmbedderTests {
    private func store(_ embedder: any Embedder) -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: embedder)
    }

    @Test(arguments: FaultyEmbedder.Fault.allCases)
    func `a faulty answer is reported and nothing is stored`(
        fault: FaultyEmbedder.Fault
    ) async throws {
        let store = store(FaultyEmbedder(fault: fault))
        let error = await #expect(throws: EmbedderError.self) { try await store.add("a text") }
        #expect(error?.code == .badAnswer)
        #expect(try await store.count() == 0)
        await #expect(throws: EmbedderError.self) { try await store.search("a text") }
    }

    @Test func `the passages of an embedder without a tokenizer are measured in words`() async throws {
        let store = store(SmallEmbedder())
        let added = try await store.add((0..<1000).map { "word\($0)" }.joined(separator: " "))
        let entry = try #require(try await store.entry(added.id))
        #expect(entry.passages.count >= 5 && entry.passages.allSatisfy { $0.tokenCount == 0 })
        let ranges = SmallEmbedder().tokenRanges(in: "a swift, Ünder")
        #expect(ranges == [0..<1, 2..<7, 9..<15])
        #expect(try await store.search("word999").hits.first?.entry.id == added.id)
    }

    @Test func `a search for entries reports an impossible dimension`() async throws {
        let storage = InMemoryStorageProvider()
        let entry = Entry(content: "a text", embeddings: [1, 0, 0, 0])
        try await storage.saveEntry(entry)
        let store = KnowledgeStore(storage: storage, embedder: FaultyEmbedder(fault: .negativeDimension))
        let error = await #expect(throws: RoostError.self) {
            try await store.search(EntrySearch(.entries([entry.id])))
        }
        #expect(error?.code == .configuration)
    }

    @Test(arguments: [Int.min, -1, 0, 1]) func `a limit of tokens below 1 is treated as 1`(
        limit: Int
    ) async throws {
        let store = store(FaultyEmbedder(maximumTokens: limit))
        let added = try await store.add("one two three four five six")
        let entry = try #require(try await store.entry(added.id))
        #expect(entry.passages.count > 1)
        #expect(try await store.search("three").hits.count == 1)
    }

    @Test(arguments: 0..<4) func `impossible ranges of tokens are omitted`(kind: Int) async throws {
        let embedder = FaultyEmbedder(ranges: { size in
            let valid = (0..<size).map { $0..<$0 + 1 }
            return switch kind {
            case 0: valid.reversed()
            case 1: valid.map { $0.lowerBound + 3..<$0.upperBound + 1000 }
            case 2: [-5..<2] + valid + [size..<Int.max]
            default: []
            }
        })
        let store = store(embedder)
        let text = String(repeating: "a text of several words. ", count: 20)
        let added = try await store.add(text)
        #expect(try await store.entry(added.id)?.content == text)
    }

    @Test func `a splitter treats numbers out of range as the nearest bound`() {
        var splitter = PassageSplitter()
        let text = "one two three four"
        let tokens = [0..<3, 4..<7, 8..<13, 14..<18]
        for (maximum, overlap) in [(0, 0), (-3, 7), (.min, .min), (2, -1), (2, .max), (.max, .max)] {
            (splitter.maximumTokens, splitter.overlap) = (maximum, overlap)
            let passages = splitter.split(text, tokens: tokens)
            #expect(passages.first?.lowerBound == 0 && passages.last?.upperBound == 18)
            #expect(passages.allSatisfy { $0.lowerBound < $0.upperBound })
        }
    }
}
