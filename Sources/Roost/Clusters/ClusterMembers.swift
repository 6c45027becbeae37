import RoostModel
import RoostVectors

/// The members of a cluster and of the clusters below it, read from a snapshot page by page.
///
/// The members of each cluster are in the order of their rows; those of a cluster precede those of the
/// clusters below it, as in ``ClusterForest/members(of:)``.
package struct ClusterMembers: Sendable {
    private let snapshot: any StorageSnapshot
    private let groups: [(cluster: Cluster.ID, rows: RowSet)]

    /// Finds the rows of the members, but reads no entries.
    ///
    /// - Parameter records: All clusters of the snapshot, with or without members.
    package init(
        of cluster: Cluster, among records: [Cluster], in snapshot: any StorageSnapshot
    ) async throws {
        self.snapshot = snapshot
        let forest = ClusterForest(records)
        func below(_ cluster: Cluster) -> [Cluster.ID] {
            [cluster.id] + forest.children(of: cluster).flatMap(below)
        }
        var groups: [(Cluster.ID, RowSet)] = []
        for id in below(cluster) {
            let rows = try await snapshot.rows(matching: EntryFilter(cluster: id))
            if !rows.isEmpty { groups.append((id, rows)) }
        }
        self.groups = groups
    }

    package var count: Int { groups.reduce(0) { $0 + $1.rows.count } }

    /// Returns a page of members.
    ///
    /// - Parameters:
    ///   - offset: The number of members on the previous pages.
    ///   - limit: The maximum number of members on the page.
    package func entries(from offset: Int, limit: Int) async throws -> [Entry] {
        var (offset, page) = (offset, [Entry]())
        for (cluster, rows) in groups where page.count < limit {
            let count = rows.count
            guard offset < count else {
                offset -= count
                continue
            }
            let previous = offset == 0 ? nil : rows.dropFirst(offset - 1).first { _ in true }
            offset = 0
            page += try await snapshot.entries(
                after: previous, limit: limit - page.count, matching: EntryFilter(cluster: cluster)
            ).entries
        }
        return page
    }

    /// Returns the ids of all members, without reading their texts.
    package func ids() async throws -> [Entry.ID] {
        var ids: [Entry.ID] = []
        for (cluster, _) in groups {
            for try await page in snapshot.headerPages(matching: EntryFilter(cluster: cluster)) {
                ids += page.headers.map(\.id)
            }
        }
        return ids
    }
}
