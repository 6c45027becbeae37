public import RoostModel

extension EntryFilter {
    /// The name that stands for ``isUnclustered`` where programs and persons name a cluster. A cluster with
    /// this label can be named only by its id.
    package static let unclusteredName = "none"

    /// Returns a filter that matches the members of all descendants of `cluster` if `cluster` is a parent
    /// cluster, which has no members of its own. Otherwise, returns the filter unchanged.
    ///
    /// Searches and `KnowledgeStore/duplicates(threshold:matching:)` expand their filters themselves. Storage
    /// providers do not: they match only entries that are assigned to `cluster` itself.
    ///
    /// - Throws: `StorageError`.
    /// - Complexity: O(clusters), and O(assignments) for a parent cluster.
    public func expandingParentCluster(in snapshot: any StorageSnapshot) async throws -> EntryFilter {
        guard let cluster else { return self }
        let clusters = try await snapshot.clusterRecords()
        let children = Dictionary(grouping: clusters, by: \.parent)
        guard children[cluster] != nil else { return self }
        var (found, open) = (Set([cluster]), [cluster])
        while let parent = open.popLast() {
            for child in children[parent] ?? [] where found.insert(child.id).inserted {
                open.append(child.id)
            }
        }
        let members = try await snapshot.assignments(of: nil).filter { assignment in
            assignment.cluster.map(found.contains) == true
        }
        var filter = self
        filter.cluster = nil
        let ids = Set(members.map(\.entry))
        filter.ids = filter.ids.map(ids.intersection) ?? ids
        return filter
    }
}
