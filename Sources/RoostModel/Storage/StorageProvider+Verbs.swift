public import Foundation

extension StorageProvider {
    public func compact() async throws {}

    public func saveEntry(_ entry: Entry) async throws {
        _ = try await commit(WriteBatch(upserts: [entry]))
    }

    public func saveEntries(_ entries: [Entry]) async throws {
        var last: [Entry.ID: Int] = [:]
        for (index, entry) in entries.enumerated() { last[entry.id] = index }
        let upserts = entries.enumerated().filter { last[$0.element.id] == $0.offset }.map(\.element)
        _ = try await commit(WriteBatch(upserts: upserts))
    }

    public func fetchEntries() async throws -> [Entry] {
        let snapshot = try await snapshot()
        var entries: [Entry] = []
        for try await page in snapshot.entryPages() { entries += page.entries }
        guard entries.count == snapshot.stamp.entryCount else {
            throw StorageError(
                .damaged,
                "cannot fetch all entries: the store should have \(snapshot.stamp.entryCount) entries, but "
                    + "\(entries.count) were found",
                remedy: .inspectStore)
        }
        return entries
    }

    public func updateCluster(_ cluster: Cluster) async throws {
        try await ConflictRetry.standard.run {
            let snapshot = try await snapshot()
            let revision = try await snapshot.clustersRevision()
            let members = Set(cluster.members)
            let known = try await snapshot.revisions(of: cluster.members)
            if let unknown = cluster.members.first(where: { known[$0] == nil }) {
                throw StorageError(
                    .notFound,
                    "cannot update cluster \(cluster.id): its member \(unknown) is not in the store")
            }
            let before = try await snapshot.clusters().first { $0.id == cluster.id }?.members ?? []
            let joining = members.subtracting(before)
            let batch = WriteBatch(
                clusters: [cluster],
                assignments: cluster.members.filter(joining.contains).map {
                    Assignment(entry: $0, target: .cluster(cluster.id), similarity: cluster.cohesion)
                },
                unassignments: before.filter { !members.contains($0) },
                expecting: .init(clusters: revision))
            _ = try await commit(batch)
        }
    }

    public func fetchClusters() async throws -> [Cluster] {
        try await snapshot().clusters()
    }

    public func deleteEntry(_ id: Entry.ID) async throws {
        _ = try await commit(WriteBatch(removals: [id]))
    }

    /// Removes an entry and its assignment. If the store does not contain the entry, nothing changes.
    ///
    /// - Parameter entry: The entry, which is identified by its id only.
    /// - Throws: The errors of ``deleteEntry(_:)``.
    public func deleteEntry(_ entry: Entry) async throws {
        try await deleteEntry(entry.id)
    }
}
