import RoostModel
import RoostText
import RoostVectors

/// The step that turns candidates into hits: it reads their entries from the snapshot, computes exact scores,
/// and checks that the storage agrees with what the indexes found.
struct HitResolver: Sendable {
    let plan: QueryPlan
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
        try await check(candidates, byID)
        return candidates.compactMap { candidate in
            byID[candidate.id].map { entry in
                var hit = QueryHit(entry, nearestTo: plan.vector)
                hit.fused = candidate.fused
                hit.vectorRank = candidate.vectorRank
                hit.textRank = candidate.textRank
                hit.textScore = candidate.textScore
                return hit
            }
        }
    }

    /// The maximum relative error of a score due to rounding.
    private static let relativeTolerance: Float = 1e-3
    /// The maximum absolute error of a score due to rounding, for vectors near zero.
    private static let absoluteTolerance: Float = 1e-6

    private func check(_ candidates: [Candidate], _ entries: [Entry.ID: Entry]) async throws {
        let norm = length(of: plan.vector)
        var (wrongVectors, wrongWords) = ([Entry.ID](), [Entry.ID]())
        for candidate in candidates {
            let entry = entries[candidate.id]
            if let passage = candidate.passage, !agrees(passage, entry, norm) {
                wrongVectors.append(candidate.id)
            }
            if candidate.textScore != nil, let text = plan.text {
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
            if best.map({ score > $0.score }) ?? true {
                best = QueryHit(entry: entry, score: score, passage: passage)
            }
        }
        let fullText = Passage(ordinal: 0, utf8Range: 0..<entry.content.utf8.count, vector: [])
        self = best ?? QueryHit(entry: entry, score: 0, passage: entry.passages.first ?? fullText)
    }
}
