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
        var position: UInt32?
        repeat {
            let page = try await snapshot.entries(after: position, limit: 1000, matching: .all)
            entries += page.entries
            position = page.next
        } while position != nil
        guard entries.count == snapshot.stamp.entryCount else {
            throw StorageError(
                .damaged,
                "the store has \(snapshot.stamp.entryCount) entries, of which \(entries.count) are found; "
                    + "`roost doctor` tells more")
        }
        return entries
    }

    public func updateCluster(_ cluster: Cluster) async throws {
        for attempt in 1... {
            let snapshot = try await snapshot()
            let revision = try await snapshot.clustersRevision()
            let members = Set(cluster.members)
            let known = try await snapshot.revisions(of: cluster.members)
            if let unknown = cluster.members.first(where: { known[$0] == nil }) {
                throw StorageError(
                    .notFound, "cluster \(cluster.id) names entry \(unknown), which is not in the store")
            }
            let before = try await snapshot.clusters().first { $0.id == cluster.id }?.members ?? []
            let joining = members.subtracting(before)
            let batch = WriteBatch(
                clusters: [cluster],
                assignments: cluster.members.filter(joining.contains).map {
                    Assignment(entry: $0, place: .cluster(cluster.id), similarity: cluster.cohesion)
                },
                unassignments: before.filter { !members.contains($0) },
                expecting: .init(clusters: revision))
            do {
                _ = try await commit(batch)
                return
            } catch let error as StorageError where error.code == .conflict && attempt < 100 {
                continue
            }
        }
    }

    public func fetchClusters() async throws -> [Cluster] {
        try await snapshot().clusters()
    }

    public func deleteEntry(_ id: Entry.ID) async throws {
        _ = try await commit(WriteBatch(removals: [id]))
    }

    /// Removes an entry; one that is not there is no error.
    public func deleteEntry(_ entry: Entry) async throws {
        try await deleteEntry(entry.id)
    }
}
