import Foundation
import RoostModel
import RoostVectors
import Synchronization
import Testing

@testable import Roost

/// Searches whose vectors a database compares, with a database that records the searches.
struct DatabaseVectorsTests {
    /// A search over entries of one passage each, whose scores fall with the row.
    private final class RecordedSearch: PassageSearch {
        let ids: [Entry.ID]
        let scopes = Mutex<[PassageScope]>([])
        let samples = Mutex(0)

        init(_ count: Int) { ids = (0..<count).map { _ in UUID() } }

        func nearestPassages(
            to vector: [Float], limit: Int, in scope: PassageScope, isExact: Bool
        ) async throws -> NearestPassages {
            scopes.withLock { $0.append(scope) }
            var rows = ids.indices.map { UInt32($0) }
            if case .rows(let allowed) = scope { rows = rows.filter(allowed.contains) }
            let found = rows.prefix(limit).map {
                NearestPassage(entry: ids[Int($0)], row: $0, ordinal: 0, score: -Float($0))
            }
            return NearestPassages(
                passages: found,
                plan: PassageSearchPlan(.exactScan, matchingEntries: rows.count, foundPassages: found.count))
        }

        func passageVectors(ofRows rows: RowSet) async throws -> VectorPage { emptyPage }

        func sampledPassages(ofEntries count: Int) async throws -> VectorPage {
            samples.withLock { $0 += 1 }
            return emptyPage
        }

        private var emptyPage: VectorPage {
            VectorPage(rows: [], ids: [], ordinals: [], vectors: Matrix(rows: 0, columns: 0), next: nil)
        }

        func indexState() async throws -> PassageIndexState { PassageIndexState(isComplete: false, bytes: 0) }

        func buildIndex(progress: @escaping @Sendable (String, Double?) -> Void) async throws {}

        /// The number of rows that were sent with each search; `nil` for a filter.
        var sentRows: [Int?] {
            scopes.withLock { $0.map { if case .rows(let rows) = $0 { rows.count } else { nil } } }
        }
    }

    private static let store = UUID()
    private static let epoch = UUID()

    private func stamp(_ revision: UInt64, _ count: Int) -> Stamp {
        Stamp(
            store: Self.store, epoch: Self.epoch, revision: Revision(rawValue: revision), entryCount: count,
            clusterCount: 0)
    }

    private func nearest(
        _ count: Int, among allowed: RowSet, k: Int = 10
    ) async throws -> (rows: [UInt32], sent: [Int?]) {
        let search = RecordedSearch(count)
        let vectors = try await DatabaseVectors(
            search, of: stamp(1, count), matching: .all, PairStatisticsCache())
        let found = try await vectors.nearest(
            to: [1], k: k, among: allowed, isFilterOnly: false, isExact: false)
        return (found.hits.map(\.entryRow), search.sentRows)
    }

    @Test func `the rows of a query with conditions are sent`() async throws {
        let limit = DatabaseVectors.maximumSentRows
        for (count, step) in [(limit, UInt32(1)), (limit + 10, 2), (3 * limit, 3)] {
            let allowed = RowSet(0..<UInt32(count)) { $0 % step == 0 }
            let found = try await nearest(count, among: allowed)
            #expect(found.rows == Array(allowed.prefix(10)))
            #expect(found.sent == [allowed.count])
        }
    }

    @Test func `the statistics are read again if the number of entries has changed`() async throws {
        let cache = PairStatisticsCache()
        let search = RecordedSearch(1)
        /// Returns whether the statistics of a state were read.
        func isRead(_ stamp: Stamp) async throws -> Bool {
            let before = search.samples.withLock { $0 }
            _ = try await cache.statistics(at: stamp) { try await search.sampledPassages(ofEntries: 1) }
            return search.samples.withLock { $0 } > before
        }
        #expect(try await isRead(stamp(1, 1000)))
        #expect(try await !isRead(stamp(2, 1050)))
        #expect(try await isRead(stamp(3, 1200)))
        var other = stamp(3, 1200)
        other.epoch = UUID()
        #expect(try await isRead(other))
    }
}
