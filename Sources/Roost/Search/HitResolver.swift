import Foundation
import RoostModel
import RoostText
import RoostVectors

/// The step that turns candidates into hits: it reads their entries from the snapshot, computes exact scores,
/// and checks that the storage agrees with what the indexes found.
struct HitResolver: Sendable {
    let plan: QueryPlan
    let relevance: Relevance
    /// The scores by words; `nil` if the plan has no words.
    let words: WordScores?
    let snapshot: any StorageSnapshot
    /// The revision up to which the passage index includes all changes.
    let passagesRevision: Revision
    /// The revision up to which the word index includes all changes; `nil` if words are not searched.
    let wordsRevision: Revision?

    /// Returns the hits for the given candidates, in the same order. Candidates that the snapshot does not
    /// have are left out.
    ///
    /// - Throws: ``IndexFault`` if an index disagrees with the storage; `StorageError`.
    func hits(for candidates: [Candidate]) async throws -> [QueryHit] {
        let entries = try await snapshot.entries(candidates.map(\.id))
        let byID = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
        let breakdowns = words?.breakdowns(of: candidates.map { ($0.id, $0.row) }) ?? [:]
        try await check(candidates, byID, breakdowns)
        return candidates.compactMap { candidate in
            byID[candidate.id].map { hit($0, for: candidate, breakdowns[candidate.id]) }
        }
    }

    /// Returns the hit of a candidate, with a score that is computed from the stored vectors.
    private func hit(
        _ entry: Entry, for candidate: Candidate, _ words: TextScores.Breakdown?
    ) -> QueryHit {
        var hit = QueryHit(entry, nearestTo: plan.vector)
        hit.row = candidate.row
        hit.fused = candidate.fused
        hit.vectorRank = candidate.vectorRank
        hit.textRank = candidate.textRank
        hit.textScore = candidate.textScore
        let hasVectors = entry.embeddings.count == plan.vector.count
        let passage = hasVectors ? hit.similarity : nil
        let whole = hasVectors ? innerProduct(entry.embeddings, plan.vector) : nil
        let projection = hasVectors ? relevance.projection(of: entry.embeddings) : nil
        let textScore = candidate.textScore ?? 0
        let evidence = relevance.evidence(passage: passage, entry: whole, projection, words: textScore)
        hit.evidence = evidence.total
        hit.relativeEvidence = relevance.relativeEvidence(hit.evidence)
        hit.score = relevance.score(hit.evidence)
        let uncorrected = relevance.withoutFeedback
        hit.uncorrectedScore = uncorrected.score(
            uncorrected.evidence(
                passage: passage, entry: whole, projection, words: textScore - (words?.corrected ?? 0)
            ).total)
        hit.explanation = relevance.explanation(
            of: hit.score, evidence, passage: hit.similarity, entry: whole, words)
        if plan.comparesWholeEntries, let whole { hit.similarity = max(whole, hit.similarity) }
        // The model does not understand a text with a zero vector, so its cosine is no evidence against it.
        let known = entry.embeddings.contains { $0 != 0 } ? passage : nil
        hit.hasAllWords =
            hasAllWords(words)
            && (areTogether(words) || relevance.isAnswer(passage: known, entry: whole)
                || containsQuery(entry.content))
        hit.isClose =
            hit.uncorrectedScore >= Relevance.noiseLevel
            && relevance.isClose(passage: known, entry: whole, coverage: coverage(of: words))
        return hit
    }

    /// Returns whether an entry contains all words of the query, as corrected.
    private func hasAllWords(_ found: TextScores.Breakdown?) -> Bool {
        guard let found, let scores = words?.scores else { return false }
        return found.words > 0 && found.words >= scores.wordCount
    }

    private func areTogether(_ found: TextScores.Breakdown?) -> Bool {
        guard let found, let scores = words?.scores else { return false }
        return scores.areTogether(in: found)
    }

    /// The maximum length in bytes of a text that is searched for the query as a whole.
    private static let maximumSearchedLength = 1 << 20

    /// Returns whether a text contains the query verbatim, including stop words, without regard to case.
    private func containsQuery(_ text: String) -> Bool {
        guard let query = plan.text?.plainText, text.utf8.count <= Self.maximumSearchedLength else {
            return false
        }
        return text.range(of: query, options: .caseInsensitive) != nil
    }

    /// Returns the share of the information of the query's words that an entry contains.
    private func coverage(of words: TextScores.Breakdown?) -> Float {
        guard let covered = words?.covered, covered > 0, let scores = self.words?.scores else { return 0 }
        return covered / max(covered, scores.wordInformation)
    }

    /// The maximum relative error of a score due to rounding.
    private static let relativeTolerance: Float = 1e-3
    /// The number of candidates whose texts are checked for the words that the index found in them, and the
    /// length in bytes after which no further text is checked. A few texts are enough to detect an index that
    /// was built from other texts, because most checks then fail.
    private static let (checkedTexts, checkedLength) = (8, 1 << 20)
    /// The maximum absolute error of a score due to rounding, for vectors near zero.
    private static let absoluteTolerance: Float = 1e-6

    private func check(
        _ candidates: [Candidate], _ entries: [Entry.ID: Entry],
        _ breakdowns: [Entry.ID: TextScores.Breakdown]
    ) async throws {
        let norm = length(of: plan.vector)
        var (wrongVectors, wrongWords) = ([Entry.ID](), [Entry.ID]())
        var length = 0
        for (index, candidate) in candidates.enumerated() {
            let entry = entries[candidate.id]
            if let passage = candidate.passage, !agrees(passage, entry, norm) {
                wrongVectors.append(candidate.id)
            }
            if index < Self.checkedTexts, length < Self.checkedLength, let text = plan.text,
                let words = breakdowns[candidate.id], words.body > 0
            {
                length += entry?.content.utf8.count ?? 0
                if entry.map({ !text.occurs(in: $0.content) }) ?? true { wrongWords.append(candidate.id) }
            }
        }
        guard !wrongVectors.isEmpty || !wrongWords.isEmpty else { return }
        // An index that is older than an entry's last change cannot reflect that change.
        let revisions = try await snapshot.revisions(of: wrongVectors + wrongWords)
        func isKnown(_ id: Entry.ID, at revision: Revision) -> Bool {
            revisions[id].map { $0 <= revision } ?? true
        }
        if wrongVectors.contains(where: { isKnown($0, at: passagesRevision) }) {
            throw IndexFault.vectorsDisagree
        }
        if let wordsRevision, wrongWords.contains(where: { isKnown($0, at: wordsRevision) }) {
            throw IndexFault.wordsDisagree
        }
    }

    /// Returns whether the passage's vector in the storage yields the score that the index computed.
    private func agrees(_ passage: PassageContents.Hit, _ entry: Entry?, _ norm: Float) -> Bool {
        let stored = entry?.searchablePassages.first {
            $0.ordinal == passage.ordinal && $0.vector.count == plan.vector.count
        }?.vector
        guard let stored else { return false }
        // Rounding errors are proportional to the lengths of the vectors.
        let tolerance = Self.relativeTolerance * norm * length(of: stored) + Self.absoluteTolerance
        return abs(innerProduct(stored, plan.vector) - passage.score) <= tolerance
    }
}

extension QueryHit {
    /// Creates the hit for an entry, with the passage that is nearest to a vector. If several passages are
    /// equally near, the first one is chosen.
    init(_ entry: Entry, nearestTo vector: [Float]) {
        var best: QueryHit?
        for passage in entry.searchablePassages where passage.vector.count == vector.count {
            let score = innerProduct(passage.vector, vector)
            guard score.isFinite else { continue }
            if best.map({ score > $0.similarity }) ?? true {
                best = QueryHit(entry: entry, similarity: score, passage: passage)
            }
        }
        self = best ?? QueryHit(entry: entry, passage: entry.passages.first)
    }
}
