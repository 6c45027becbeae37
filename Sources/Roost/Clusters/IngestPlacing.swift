import RoostClustering
import RoostModel
import RoostVectors

/// Places what an ingest brings into the clusters that there are, in the same commit.
struct IngestPlacing {
    private var placer: ClusterPlacer?
    /// What holds of those who may be in the clusters.
    private var conditions: [EntryCondition] = []
    /// The state of the clusters that the placer knows.
    private var revision: Revision?
    /// The last commit of this ingest's own that assigned something.
    private var ownRevision: Revision?

    /// Adds assignments to a batch, and what it expects of the clusters.
    ///
    /// - Parameter texts: the entries whose texts are new; those that the store had before are taken out of
    ///   their clusters where none is near enough any more.
    mutating func place(
        _ texts: Set<Entry.ID>, in batch: inout WriteBatch, _ snapshot: any StorageSnapshot
    ) async throws {
        (batch.assignments, batch.unassignments) = ([], [])
        batch.expecting.clusters = nil
        guard snapshot.stamp.clusterCount > 0, !batch.upserts.isEmpty else { return }
        let current = try await snapshot.clustersRevision()
        if revision != current {
            // Who was assigned changes nothing about the clusters themselves.
            if ownRevision != current {
                let run = try await snapshot.clusteringRun()
                // Where it cannot be told who is meant, the next run says who belongs to them.
                let known = run.map(\.conditions) ?? []
                conditions = known ?? []
                placer = known == nil ? nil : ClusterPlacer(try await snapshot.clusterRecords())
            }
            revision = current
        }
        guard let placer, !placer.isEmpty else { return }
        var placed = texts
        // Where not all are meant, one whose values have changed may be meant now, or no more.
        if !conditions.isEmpty {
            let updated = batch.upserts.filter { batch.expecting.entries[$0.id] != .zero }
            let meant = Set(
                updated.filter { entry in conditions.allSatisfy { $0.holds(of: entry) } }.map(\.id))
            let assignments = try await snapshot.assignments(of: updated.map(\.id))
            let assigned = Set(assignments.filter { $0.cluster != nil }.map(\.entry))
            placed.formUnion(meant.subtracting(assigned))
            batch.unassignments = assignments.map(\.entry).filter { !meant.contains($0) }
        }
        let entries = batch.upserts.filter { entry in
            placed.contains(entry.id) && entry.embeddings.count == placer.dimension
                && conditions.allSatisfy { $0.holds(of: entry) }
        }
        guard !entries.isEmpty else { return }
        let places = placer.places(of: Matrix(entries.map(\.embeddings), columns: placer.dimension))
        for (entry, place) in zip(entries, places) {
            if let place {
                batch.assignments.append(
                    Assignment(
                        entry: entry.id, place: .cluster(place.cluster), similarity: place.similarity,
                        confidence: place.confidence))
            } else if batch.expecting.entries[entry.id] != .zero {
                batch.unassignments.append(entry.id)
            }
        }
        if !batch.assignments.isEmpty { batch.expecting.clusters = current }
    }

    /// To be called after the commit of a batch that was given to ``place(_:in:_:)``.
    mutating func committed(_ batch: WriteBatch, at revision: Revision) {
        if !batch.assignments.isEmpty || !batch.unassignments.isEmpty { ownRevision = revision }
    }
}
