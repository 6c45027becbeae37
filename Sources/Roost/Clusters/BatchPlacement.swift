package import RoostModel

/// Adds the assignments of new and changed entries to the batches in which they are written.
///
/// It reads the clusters once and keeps them until another writer changes them.
package struct BatchPlacement {
    private var placement: ClusterPlacement?
    /// The revision of the clusters that ``placement`` was read from, or that differs from it only by
    /// assignments.
    private var revision: Revision?
    /// The revision of the last commit of this value's owner that changed assignments. Such a commit changes
    /// the revision of the clusters, but not the clusters.
    private var ownRevision: Revision?

    package init() {}

    /// Adds changes of assignments to a batch, and the revision of the clusters that the batch expects if it
    /// assigns entries.
    ///
    /// - Parameters:
    ///   - changedTexts: The entries of the batch whose texts are new.
    ///   - batch: The batch. It expects the revision `.zero` of each entry that is new to the store.
    ///   - snapshot: The state from which the batch was computed.
    /// - Throws: `StorageError`.
    package mutating func assign(
        _ changedTexts: Set<Entry.ID>, in batch: inout WriteBatch, _ snapshot: any StorageSnapshot
    ) async throws {
        (batch.assignments, batch.unassignments) = ([], [])
        batch.expecting.clusters = nil
        guard snapshot.stamp.clusterCount > 0, !batch.upserts.isEmpty else { return }
        let current = try await snapshot.clustersRevision()
        if revision != current {
            if ownRevision != current {
                placement = ClusterPlacement(
                    try await snapshot.clusterRecords(), run: try await snapshot.clusteringRun())
            }
            revision = current
        }
        guard let placement, !placement.isEmpty else { return }
        let stored = batch.upserts.map(\.id).filter { batch.expecting.entries[$0] != .zero }
        let assignments = placement.conditions.isEmpty ? [] : try await snapshot.assignments(of: stored)
        let outcome = placement.outcome(
            for: batch.upserts, changedTexts: changedTexts, stored: Set(stored), current: assignments)
        (batch.assignments, batch.unassignments) = (outcome.assignments, outcome.unassignments)
        if !batch.assignments.isEmpty { batch.expecting.clusters = current }
    }

    /// Records the commit of a batch to which ``assign(_:in:_:)`` has added assignments.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - revision: The revision of the commit.
    package mutating func committed(_ batch: WriteBatch, at revision: Revision) {
        if !batch.assignments.isEmpty || !batch.unassignments.isEmpty { ownRevision = revision }
    }
}
