import RoostModel
import RoostVectors
import Synchronization

/// The vectors of a snapshot that are searched in the database.
struct DatabaseVectors: Sendable {
    let search: any PassageSearch
    let filter: EntryFilter

    /// The number of allowed rows up to which the database receives the rows instead of the filter.
    static let maximumSentRows = 20_000

    struct Nearest {
        var hits: [PassageContents.Hit]
        var plan: PassageSearchPlan?
    }

    /// Returns the best passage of each of the `k` nearest entries, best first. If scores are equal, the
    /// lower id comes first.
    func nearest(
        to vector: [Float], k: Int, among allowed: RowSet?, isFilterOnly: Bool, isExact: Bool
    ) async throws -> Nearest {
        guard k > 0 else { return Nearest(hits: [], plan: nil) }
        var scope = PassageScope.matching(filter)
        if let allowed, !isFilterOnly || allowed.count <= Self.maximumSentRows { scope = .rows(allowed) }
        let found = try await search.nearestPassages(
            to: vector, limit: Self.passagesPerEntry * k + Self.margin, in: scope, isExact: isExact)
        let passages = found.passages.map {
            PassageContents.Hit(entry: $0.entry, entryRow: $0.row, ordinal: $0.ordinal, score: $0.score)
        }
        let best = NearestEntries(passages, k: k, lastScore: passages.last?.score)
        let hits = best.hits.sorted { ($1.score, $0.entry) < ($0.score, $1.entry) }
        return Nearest(hits: Array(hits.prefix(k)), plan: found.plan)
    }

    /// The number of passages to find for each entry. If long entries have more passages near the query, a
    /// search finds fewer than `k` entries.
    private static let (passagesPerEntry, margin) = (4, 16)

    func contents(ofRows rows: RowSet) async throws -> PassageContents {
        PassageContents(of: try await search.passageVectors(ofRows: rows))
    }
}

/// The vectors that a search compares with its query.
struct SearchVectors: Sendable {
    enum Source: Sendable {
        /// The vectors in the client's index.
        case client(PassageContents)
        case database(DatabaseVectors)
    }

    let source: Source
    /// The statistics of the passages that the caller may see.
    let statistics: PassageStatistics

    var index: PassageContents? {
        if case .client(let passages) = source { passages } else { nil }
    }
}

struct NearestEntries {
    let hits: [PassageContents.Hit]
    /// Whether the passages include the `k` nearest entries and all entries at the distance of the last of
    /// them.
    let isComplete: Bool

    /// - Parameter lastScore: The score of the last of the nearest passages, even if it may not be found.
    init(_ passages: some Sequence<PassageContents.Hit>, k: Int, lastScore: Float?) {
        var best: [Entry.ID: PassageContents.Hit] = [:]
        var scores: [Float] = []
        for hit in passages {
            if let other = best[hit.entry] {
                // If several passages of an entry are equally near, the first of them is the hit.
                if other.score == hit.score, hit.ordinal < other.ordinal { best[hit.entry] = hit }
            } else {
                best[hit.entry] = hit
                scores.append(hit.score)
            }
        }
        isComplete = scores.count >= k && (lastScore ?? 0) < scores[k - 1]
        hits = Array(best.values)
    }
}

/// The statistics of the vectors of a store, of all entries or of those that match a filter, which a client keeps for
/// one state of the store or, if it reads them from a database, until the number of entries has changed by more than a
/// tenth.
final class PairStatisticsCache: Sendable {
    private let known = Mutex<[EntryFilter?: (stamp: Stamp, statistics: PassageStatistics)]>([:])
    /// Each needs up to 1 MB.
    private static let maximumCount = 16

    func statistics(
        of filter: EntryFilter?, at stamp: Stamp, isExact: Bool,
        _ compute: () async throws -> PassageStatistics
    ) async throws -> PassageStatistics {
        if let known = known.withLock({ $0[filter] }), known.stamp.epoch == stamp.epoch,
            isExact
                ? stamp == known.stamp
                : abs(stamp.entryCount - known.stamp.entryCount) <= known.stamp.entryCount / 10
        {
            return known.statistics
        }
        let statistics = try await compute()
        known.withLock { known in
            if known.count >= Self.maximumCount { known = [:] }
            known[filter] = (stamp, statistics)
        }
        return statistics
    }
}
