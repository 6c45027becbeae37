import RoostModel
import RoostVectors

/// The step that assembles the result from resolved hits: it applies the minimum score, folds near-duplicates
/// and diversifies.
struct HitAssembly {
    /// The number of hits that the result needs, before the offset is applied.
    private let needed: Int
    private let minimumScore: Float
    private let duplicateThreshold: Float?
    private let ordersByScore: Bool
    private let diversifier: Diversifier?

    /// The hits that have been added. If there is a diversifier, only those that it has not selected yet.
    private var pool: [QueryHit] = []
    /// The hits that the diversifier has selected.
    private var selected: [QueryHit] = []

    init(_ plan: QueryPlan, needed: Int) {
        self.needed = needed
        minimumScore = plan.search.minimumScore ?? -.infinity
        duplicateThreshold = plan.search.duplicateThreshold
        ordersByScore = plan.text == nil
        diversifier = (plan.search.diversity).flatMap { $0 > 0 ? Diversifier(weight: $0) : nil }
    }

    /// The hits of the result so far, best first.
    var hits: [QueryHit] { diversifier == nil ? pool : selected }

    /// Whether the result has all the hits that it needs.
    var isComplete: Bool { hits.count >= needed }

    /// The number of candidates to resolve at once. A diversifier needs all candidates of a stage, because it
    /// weighs them against each other. Without one, only as many are read as the result may need.
    var partSize: Int { diversifier == nil ? QueryPlan.withMargin(needed) : .max }

    /// Adds hits in their order. A near-duplicate of an earlier hit is added to that hit's duplicates.
    ///
    /// - Throws: `CancellationError`.
    mutating func add(_ hits: [QueryHit]) throws {
        for hit in hits where hit.score >= minimumScore {
            try Task.checkCancellation()
            if !fold(hit) { pool.append(hit) }
        }
        if ordersByScore {
            // Candidates are ordered by scores from the index, but the result is ordered by scores from the
            // storage.
            pool.sort { ($1.score, $0.entry.id) < ($0.score, $1.entry.id) }
        }
    }

    /// Ends a stage: lets the diversifier select from the hits that have been added.
    ///
    /// - Throws: `CancellationError`.
    mutating func endStage() throws {
        guard let diversifier else { return }
        let best = try diversifier.select(from: pool, after: selected, count: needed - selected.count)
        let taken = Set(best.map(\.entry.id))
        selected += best
        pool.removeAll { taken.contains($0.entry.id) }
    }

    /// Adds a hit to the duplicates of an earlier one.
    ///
    /// - Returns: Whether there is such an earlier hit.
    private mutating func fold(_ hit: QueryHit) -> Bool {
        guard let threshold = duplicateThreshold else { return false }
        func isDuplicate(_ other: QueryHit) -> Bool { Self.areDuplicates(other.entry, hit.entry, threshold) }
        if let index = selected.firstIndex(where: isDuplicate) {
            selected[index].duplicates.append(hit.entry.id)
        } else if let index = pool.firstIndex(where: isDuplicate) {
            pool[index].duplicates.append(hit.entry.id)
        } else {
            return false
        }
        return true
    }

    private static func areDuplicates(_ first: Entry, _ second: Entry, _ threshold: Float) -> Bool {
        guard !first.embeddings.isEmpty, first.embeddings.count == second.embeddings.count else {
            return first.content.utf8.elementsEqual(second.content.utf8)
        }
        return innerProduct(first.embeddings, second.embeddings) >= threshold
    }
}
