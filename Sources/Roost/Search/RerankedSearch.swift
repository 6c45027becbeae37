import RoostModel
import RoostText

/// A search whose best hits are ordered by a re-ranker.
struct RerankedSearch: Sendable {
    let store: KnowledgeStore
    let reranker: any Reranker

    /// The number of best hits that are re-ranked. A result has no others: their scores are not comparable.
    private static let candidateCount = 50

    func results(of searches: [EntrySearch]) async throws -> [QueryResult] {
        let queries = try searches.map { search in
            guard case .text(let text) = search.subject else {
                throw RoostError(.badInput, "cannot re-rank: only a search for a text has a query")
            }
            return TextQuery(text).plainText
        }
        var results = try await store.search(
            searches.map { search in
                changing(search) {
                    // The page and the minimum apply to the new order.
                    ($0.limit, $0.offset) = (Self.candidateCount, 0)
                    $0.minimumScore = search.minimumScore.map { _ in -.infinity }
                }
            })
        for (index, search) in searches.enumerated() {
            let hits = try await reranked(results[index].hits, for: queries[index])
                .filter { $0.score >= search.minimumScore ?? -.infinity }
            results[index].hits = Array(hits.dropFirst(max(0, search.offset)).prefix(max(0, search.limit)))
        }
        return results
    }

    private func reranked(_ hits: [QueryHit], for query: String) async throws -> [QueryHit] {
        let scores = try await reranker.checkedScores(of: hits.map(Self.text), for: query)
        var hits = zip(hits, scores).map { hit, score in
            changing(hit) { ($0.score, $0.explanation) = (score, ScoreExplanation()) }
        }
        hits.sort { ($1.score, $0.rank) < ($0.score, $1.rank) }
        for index in hits.indices { hits[index].rank = index + 1 }
        return hits
    }

    /// Returns the passage of a hit below its title.
    private static func text(of hit: QueryHit) -> String {
        let text = TextTreatment(of: hit.entry).visibleText(in: hit.passage.utf8Range)
        guard let title = hit.title, !text.hasPrefix(title) else { return text }
        return title + "\n" + text
    }
}
