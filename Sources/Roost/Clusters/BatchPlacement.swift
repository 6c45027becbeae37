package import RoostModel

/// Assigns new and changed entries to clusters, in the batches that write these entries.
///
/// It reads the clusters once and keeps them until another writer changes them.
package struct BatchPlacement {
    private var placement: ClusterPlacement?
    /// The latest revision of the clusters for which ``placement`` is known to be valid: the revision from
    /// which it was read, or a later one that changed only assignments.
    private var revision: Revision?
    /// The revision of the last commit in which this value's owner changed assignments. Such a commit changes
    /// the revision of the clusters, but not the clusters themselves.
    private var ownRevision: Revision?

    package init() {}

    /// Adds the necessary assignment changes to a batch. A batch that assigns entries also gets the revision
    /// of the clusters that it expects.
    ///
    /// - Parameters:
    ///   - changedTexts: The entries of the batch whose texts are new.
    ///   - batch: The batch. For each entry that is new to the store, it expects the revision `.zero`.
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
