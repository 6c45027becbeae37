import Foundation
import RoostFiles
import RoostModel
import RoostText
import RoostVectors

/// The step that reads the entries of the best candidates from the storage.
struct HitResolver: Sendable {
    let plan: QueryPlan
    let relevance: Relevance
    let words: WordScores?
    let snapshot: any StorageSnapshot
    /// Whether every candidate has its nearest passage, unless the entry has no vectors.
    let comparesAllVectors: Bool

    func hits(_ count: Int, of candidates: [Candidate]) async throws -> [QueryHit] {
        let minimumScore = plan.search.minimumScore ?? -.infinity
        var hits: [QueryHit] = []
        var rest = candidates[...]
        while hits.count < count, !rest.isEmpty {
            let part = rest.prefix(max(Self.minimumPart, count))
            rest = rest.dropFirst(part.count)
            hits += try await resolved(part).filter { $0.score >= minimumScore }
        }
        // A text that equals the query has the score 1, whatever its evidence.
        let sorted = hits.enumerated().sorted {
            ($1.element.score, $0.offset) < ($0.element.score, $1.offset)
        }
        hits = sorted.prefix(count).map(\.element)
        for index in hits.indices { hits[index].rank = index + 1 }
        return hits
    }

    private static let minimumPart = 16

    private func resolved(_ candidates: ArraySlice<Candidate>) async throws -> [QueryHit] {
        try Task.checkCancellation()
        let entries = try await snapshot.entries(candidates.map(\.id)).byID
        try check(candidates, entries)
        let breakdowns = words?.breakdowns(of: candidates) ?? [:]
        return candidates.flatMap { candidate -> [QueryHit] in
            guard let entry = entries[candidate.id] else { return [] }
            let hit = completed(
                QueryHit(entry, nearestTo: plan.vector), for: candidate, breakdowns[candidate.id])
            return plan.search.listsPassages
                ? passageHits(of: hit, for: candidate, breakdowns[candidate.id]) : [hit]
        }
    }

    /// Returns a hit for each passage of an entry. The best passage has the score of the entry. In the others,
    /// the query's words count by the share of those in the entry that the passage contains.
    private func passageHits(
        of whole: QueryHit, for candidate: Candidate, _ words: TextScores.Breakdown?
    ) -> [QueryHit] {
        let (entry, text) = (whole.entry, 0..<whole.entry.content.utf8.count)
        let matches = plan.text.map {
            Snippet(of: entry.content, preferring: text, for: $0, limit: text.count).highlights
        }
        func wordCount(in range: Range<Int>) -> Int {
            let found = (matches ?? []).lazy.filter { range.contains($0.lowerBound) }
            return Set(found.map { entry.text(in: $0)?.lowercased() }).count
        }
        let all = Float(max(1, wordCount(in: text)))
        var hits = entry.searchablePassages.map { passage in
            var part = candidate
            let isComparable = passage.vector.count == plan.vector.count
            let similarity = isComparable ? innerProduct(passage.vector, plan.vector) : 0
            part.passage?.score = similarity
            if plan.comparesWholeEntries { part.entryCosine = nil }
            part.wordScore *= Float(wordCount(in: passage.utf8Range)) / all
            return completed(
                QueryHit(entry: entry, similarity: similarity, passage: passage),
                for: relevance.ranked([part])[0], words)
        }
        guard let best = hits.indices.max(by: { (hits[$0].score, $1) < (hits[$1].score, $0) }) else {
            return [whole]
        }
        (hits[best], hits[best].passage) = (whole, hits[best].passage)
        return hits
    }

    private func completed(
        _ hit: QueryHit, for candidate: Candidate, _ words: TextScores.Breakdown?
    ) -> QueryHit {
        var hit = hit
        hit.row = candidate.row
        hit.textScore = candidate.wordScore > 0 ? candidate.wordScore : nil
        hit.score = isQuery(hit.entry) ? 1 : relevance.score(of: candidate.evidence)
        let coverage = words.flatMap { self.words?.scores.coverage(of: $0) } ?? 0
        hit.closeness = relevance.closeness(of: candidate, coverage: coverage)
        hit.explanation = relevance.explanation(of: hit.score, for: candidate, words)
        if plan.comparesWholeEntries, let whole = candidate.entryCosine {
            hit.similarity = max(whole, hit.similarity)
        }
        return hit
    }

    /// Returns whether the text of an entry is the query. Only such an entry has the score 1 for a text.
    private func isQuery(_ entry: Entry) -> Bool {
        guard let text = plan.text?.plainText, entry.content.utf8.count <= 2 * text.utf8.count + 64 else {
            return false
        }
        func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
        let visible = entry.visibleText
        // Most texts differ in their first character, so they need not be divided into words.
        return visible.first { !$0.isWhitespace } == text.first { !$0.isWhitespace }
            && words(visible) == words(text)
    }

    /// The tolerances for the difference of scores that were computed from the same vectors, relative to the
    /// lengths of the vectors and absolute.
    private static let (relativeTolerance, absoluteTolerance): (Float, Float) = (1e-3, 1e-6)

    /// Checks that the entries have the vectors that the index states.
    private func check(_ candidates: ArraySlice<Candidate>, _ entries: [Entry.ID: Entry]) throws {
        let norm = length(of: plan.vector)
        for candidate in candidates {
            let entry = entries[candidate.id]
            guard let passage = candidate.passage else {
                if comparesAllVectors, entry.map(isComparable) == true { throw Self.contradiction }
                continue
            }
            guard let entry, agrees(passage, entry, norm) else {
                throw Self.contradiction
            }
        }
    }

    private static let contradiction = SectionFile.Unusable(description: "it contradicts the store")

    private func isComparable(_ entry: Entry) -> Bool {
        entry.searchablePassages.contains { $0.vector.count == plan.vector.count }
    }

    private func agrees(_ passage: PassageContents.Hit, _ entry: Entry, _ norm: Float) -> Bool {
        let stored = entry.searchablePassages.first {
            $0.ordinal == passage.ordinal && $0.vector.count == plan.vector.count
        }?.vector
        guard let stored else { return false }
        let tolerance = Self.relativeTolerance * norm * length(of: stored) + Self.absoluteTolerance
        return abs(innerProduct(stored, plan.vector) - passage.score) <= tolerance
    }
}

extension QueryHit {
    init(_ entry: Entry, nearestTo vector: [Float]) {
        var best: (similarity: Float, passage: Passage)?
        for passage in entry.searchablePassages where passage.vector.count == vector.count {
            let score = innerProduct(passage.vector, vector)
            if score.isFinite, best.map({ score > $0.similarity }) ?? true { best = (score, passage) }
        }
        let whole = Passage(ordinal: 0, utf8Range: 0..<entry.content.utf8.count, vector: [])
        self.init(
            entry: entry, similarity: best?.similarity ?? 0,
            passage: best?.passage ?? entry.passages.first ?? whole)
    }
}
