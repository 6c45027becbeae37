import RoostModel
import RoostVectors
import Synchronization

/// The embeddings of the texts that a function embeds. They are kept until it returns, so that a text that it
/// compares with others and then stores is embedded once. A text of a megabyte takes a minute.
package final class EmbeddingMemo: Sendable {
    private struct Key: Hashable {
        let space: EmbeddingSpace
        let text: ContentDigest
    }

    private struct Row {
        var vector: [Float]
        var tokens: Int
        var omitted: Int
    }

    /// The memo of the current task; `nil` outside of ``run(_:)``.
    @TaskLocal private static var current: EmbeddingMemo?

    private let rows = Mutex<[Key: Row]>([:])

    private init() {}

    /// Calls a function with a memo: that of the current task, or else a new one.
    package static func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await $current.withValue(current ?? EmbeddingMemo(), operation: body)
    }

    /// Returns the checked embeddings of the texts of documents.
    ///
    /// - Throws: The errors of `Embedder.checkedEmbeddings(_:as:)`.
    static func embeddings(of texts: [String], by embedder: any Embedder) async throws -> Embeddings {
        guard let current else { return try await embedder.checkedEmbeddings(texts, as: .document) }
        return try await current.embeddings(of: texts, by: embedder)
    }

    private func embeddings(of texts: [String], by embedder: any Embedder) async throws -> Embeddings {
        let space = embedder.space
        // Equal strings can have different bytes, and then have different vectors.
        let keys = texts.map { Key(space: space, text: ContentDigest(of: $0)) }
        let known = rows.withLock(\.self)
        let missing = texts.indices.filter { known[keys[$0]] == nil }
        let computed = try await embedder.checkedEmbeddings(missing.map { texts[$0] }, as: .document)
        guard missing.count < texts.count else {
            keep(computed, for: keys)
            return computed
        }
        var all = known
        for (row, index) in missing.enumerated() { all[keys[index]] = Self.row(row, of: computed) }
        let found = keys.compactMap { all[$0] }
        keep(computed, for: missing.map { keys[$0] })
        return Embeddings(
            vectors: Matrix(found.map(\.vector), columns: found.first?.vector.count ?? 0),
            tokenCounts: found.map(\.tokens), omittedTokens: found.map(\.omitted))
    }

    private func keep(_ computed: Embeddings, for keys: [Key]) {
        rows.withLock { rows in
            for (index, key) in keys.enumerated() { rows[key] = Self.row(index, of: computed) }
        }
    }

    private static func row(_ index: Int, of embeddings: Embeddings) -> Row {
        Row(
            vector: embeddings.vectors.row(index), tokens: embeddings.tokenCounts[index],
            omitted: embeddings.omittedTokens[index])
    }
}
