import RoostModel
import RoostVectors
import Synchronization

/// The rows that match recent filters. Agents and servers search with a few recurring filters, such as
/// "messages of one user"; without this cache, the storage would read the metadata of many entries for each
/// search.
final class FilteredRows: Sendable {
    /// The rows of one filter in one state of the store.
    private struct Result {
        var filter: EntryFilter
        var stamp: Stamp
        var rows: RowSet
    }

    /// The results, from the least to the most recently used.
    private let results = Mutex<[Result]>([])

    /// The number of results that are kept. A result takes a bit for each row of the store.
    private static let capacity = 16
    /// The maximum number of ids in a filter whose result is kept. Long lists rarely recur.
    private static let maximumIDs = 100

    /// Returns the rows of the entries that a search with a filter can find; `nil` if it can find all. The
    /// filter may name a cluster that has clusters below it.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func allowed(by filter: EntryFilter, in snapshot: any StorageSnapshot) async throws -> RowSet? {
        let filter = try await filter.expandingParentCluster(in: snapshot)
        return filter.matchesAll ? nil : try await rows(matching: filter, in: snapshot)
    }

    /// Returns the rows of the entries that match a filter.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func rows(matching filter: EntryFilter, in snapshot: any StorageSnapshot) async throws -> RowSet {
        let stamp = snapshot.stamp
        let known = results.withLock { results -> RowSet? in
            let index = results.firstIndex { $0.stamp == stamp && $0.filter == filter }
            guard let index else { return nil }
            let result = results.remove(at: index)
            results.append(result)
            return result.rows
        }
        if let known { return known }
        let rows = try await snapshot.rows(matching: filter)
        guard filter.ids?.count ?? 0 <= Self.maximumIDs else { return rows }
        results.withLock { results in
            // States of the store that are older than this one are rarely searched again.
            results.removeAll { $0.stamp.revision < stamp.revision || $0.stamp.epoch != stamp.epoch }
            results.append(Result(filter: filter, stamp: stamp, rows: rows))
            if results.count > Self.capacity { results.removeFirst() }
        }
        return rows
    }
}
