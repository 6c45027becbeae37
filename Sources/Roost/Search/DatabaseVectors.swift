import RoostModel
import RoostVectors

/// The vectors of a snapshot that are searched in the database.
struct DatabaseVectors: Sendable {
    private let search: any PassageSearch
    /// The filter that all found entries match.
    private let filter: EntryFilter
    let statistics: PairStatistics

    /// The number of allowed rows up to which the database receives the rows instead of the filter.
    static let maximumSentRows = 20_000

    /// - Parameters:
    ///   - filter: The filter of the search, without names of parent clusters.
    ///   - samples: The statistics of earlier searches.
    init(
        _ search: any PassageSearch, of stamp: Stamp, matching filter: EntryFilter,
        _ samples: PairStatisticsCache
    ) async throws {
        self.search = search
        self.filter = filter
        statistics = try await samples.statistics(at: stamp) {
            try await search.sampledPassages(ofEntries: PairStatistics.sampleSize)
        }
    }

    /// The nearest entries, and how they were found.
    struct Nearest {
        var hits: [PassageContents.Hit]
        var plan: PassageSearchPlan?
    }

    /// Returns the best passage of each of the `k` nearest entries, best first. If scores are equal, the
    /// lower id comes first.
    ///
    /// - Parameters:
    ///   - allowed: The rows of the entries that may be found; `nil` for all that match the filter.
    ///   - isFilterOnly: Whether `allowed` are exactly the entries that match the filter.
    func nearest(
        to vector: [Float], k: Int, among allowed: RowSet?, isFilterOnly: Bool, isExact: Bool
    ) async throws -> Nearest {
        guard k > 0 else { return Nearest(hits: [], plan: nil) }
        var scope = PassageScope.matching(filter)
        if let allowed, !isFilterOnly || allowed.count <= Self.maximumSentRows { scope = .rows(allowed) }
        var depth = 2 * k + 16
        while true {
            let found = try await search.nearestPassages(
                to: vector, limit: depth, in: scope, isExact: isExact)
            let passages = found.passages.lazy.map {
                PassageContents.Hit(
                    entry: $0.entry, entryRow: $0.row, ordinal: $0.ordinal, score: $0.score)
            }
            let best = NearestEntries(passages, k: k, lastScore: found.passages.last?.score)
            if best.isComplete || found.passages.count < depth {
                let hits = best.hits.sorted { ($1.score, $0.entry) < ($0.score, $1.entry) }
                return Nearest(hits: Array(hits.prefix(k)), plan: found.plan)
            }
            depth *= Self.depthGrowth
        }
    }

    /// The factor by which more passages are found if they belong to too few entries.
    private static let depthGrowth = 4

    func contents(ofRows rows: RowSet) async throws -> PassageContents {
        PassageContents(of: try await search.passageVectors(ofRows: rows))
    }
}
