import RoostModel
import RoostText

/// The second step of a search: it embeds the texts of queries and documents.
struct QueryEmbedder {
    private let embedder: any Embedder
    private let splitter: PassageSplitter

    init(_ embedder: any Embedder, _ splitter: PassageSplitter) {
        (self.embedder, self.splitter) = (embedder, splitter)
    }

    /// Returns the plans with the vectors of their texts. All queries are embedded together.
    func embedded(_ plans: [QueryPlan]) async throws -> [QueryPlan] {
        var plans = plans
        for index in plans.indices {
            guard case .document(let text) = plans[index].search.subject else { continue }
            var report = IngestReport()
            plans[index].vector = try await EntryEmbedder(embedder: embedder, splitter: splitter)
                .embed([Entry(content: text)], reusing: nil, &report)[0].embeddings
            plans[index].omittedTokens = report.omittedTokens
        }
        let queries = plans.indices.filter { plans[$0].text != nil }
        let texts = queries.map { plans[$0].text?.plainText ?? "" }
        let areRequired = queries.contains { plans[$0].search.needsVectors }
        guard !texts.isEmpty, let embeddings = try await embeddings(of: texts, areRequired: areRequired)
        else {
            return plans
        }
        for (row, index) in queries.enumerated() {
            plans[index].omittedTokens = embeddings.omittedTokens[row]
            if plans[index].search.mode == .vector || embedder.understands(texts[row]) {
                plans[index].vector = embeddings.vectors.row(row)
            }
        }
        return plans
    }

    /// Returns the embeddings of queries; `nil` if the model cannot embed them and they are not required.
    private func embeddings(of texts: [String], areRequired: Bool) async throws -> Embeddings? {
        do {
            return try await embedder.checkedEmbeddings(texts, as: .query)
        } catch {
            guard !areRequired, !(error is CancellationError) else { throw error }
            return nil
        }
    }
}
