import RoostClustering
package import RoostModel
import RoostVectors

/// Assigns new and changed entries to clusters, in the batches that write these entries.
///
/// It reads the clusters once and keeps them until another writer changes them. Like the run that
/// created the clusters, it ignores the boilerplate lines of that run in the texts of the entries.
package struct BatchPlacement {
    private let catalog: BoilerplateCatalog
    private var boilerplate = BoilerplateVectors()
    private var placer: ClusterPlacer?
    /// The latest revision of the clusters for which ``placer`` is known to be valid: the revision from
    /// which it was read, or a later one that changed only assignments.
    private var revision: Revision?
    /// The revision of the last commit in which this value's owner changed assignments. Such a commit changes
    /// the revision of the clusters, but not the clusters themselves.
    private var ownRevision: Revision?

    package init(of store: KnowledgeStore) { catalog = store.boilerplate }

    /// Adds the necessary assignment changes to a batch. A batch that assigns entries also gets the revision
    /// of the clusters that it expects.
    package mutating func assign(
        _ changedTexts: Set<Entry.ID>, in batch: inout WriteBatch, _ snapshot: any StorageSnapshot
    ) async throws {
        (batch.assignments, batch.unassignments) = ([], [])
        batch.expecting.clusters = nil
        guard snapshot.stamp.clusterCount > 0, !batch.upserts.isEmpty else { return }
        let current = try await snapshot.clustersRevision()
        if revision != current {
            if ownRevision != current {
                placer = ClusterPlacer(try await snapshot.clusterRecords())
                boilerplate = catalog.load()
            }
            revision = current
        }
        guard let placer, !placer.isEmpty else { return }
        let candidates = batch.upserts.filter {
            changedTexts.contains($0.id) && $0.embeddings.count == placer.dimension
        }
        guard !candidates.isEmpty else { return }
        let vectors = candidates.map { boilerplate.removing(from: $0) ?? $0.embeddings }
        let matches = placer.matches(for: Matrix(vectors, columns: placer.dimension))
        for (entry, match) in zip(candidates, matches) {
            if let match {
                batch.assignments.append(
                    Assignment(
                        entry: entry.id, target: .cluster(match.cluster), similarity: match.similarity,
                        confidence: match.confidence))
            } else if batch.expecting.entries[entry.id] != .zero {
                // The entry is stored, and the cluster of its old text may not fit the new one.
                batch.unassignments.append(entry.id)
            }
        }
        if !batch.assignments.isEmpty { batch.expecting.clusters = current }
    }

    /// Records the commit of a batch to which ``assign(_:in:_:)`` has added assignments.
    package mutating func committed(_ batch: WriteBatch, at revision: Revision) {
        if !batch.assignments.isEmpty || !batch.unassignments.isEmpty { ownRevision = revision }
    }
}
