package import Foundation
internal import HashTreeCollections

extension StoreState {
    /// Applies a batch. Data that equals the stored data changes nothing.
    ///
    /// - Parameters:
    ///   - batch: The changes to make.
    ///   - date: The date that is recorded for removals.
    /// - Returns: Whether anything changed.
    /// - Throws: ``StorageError`` with `.conflict`, `.invalidBatch` or `.dimensionMismatch`, or with
    ///   `.damaged` if an archived entry that the batch replaces cannot be read. An error leaves the state
    ///   unchanged.
    @discardableResult
    package mutating func apply(_ batch: WriteBatch, at date: Date = Date()) throws -> Bool {
        try check(batch)
        // All reads that can fail are made before the first change, so that an error leaves the state
        // unchanged.
        let unchanged = Set(try batch.upserts.filter { try entry($0.id) == $0 }.map(\.id))
        var writer = Writer(revision: revision.next)
        for id in batch.removals { remove(id, at: date, &writer) }
        for entry in batch.upserts where !unchanged.contains(entry.id) || rows[entry.id] == nil {
            upsert(entry, &writer)
        }
        for id in batch.removedSources where sourceRecords.removeValue(forKey: ExactText(id)) != nil {
            writer.changed = true
        }
        for var source in batch.sources {
            source.entryIDs = []
            if sourceRecords[ExactText(source.id)] != source {
                sourceRecords[ExactText(source.id)] = source
                writer.changed = true
            }
        }
        applyClusters(batch, &writer)
        if writer.clustersChanged { clustersPosition = writer.nextPosition() }
        if let newEpoch = batch.newEpoch, newEpoch != epoch {
            epoch = newEpoch
            writer.changed = true
        }
        guard writer.changed else { return false }
        revision = writer.revision
        return true
    }

    package mutating func renewEpoch(to epoch: UUID = UUID()) {
        self.epoch = epoch
        revision = revision.next
    }

    /// Forgets the removals that were made before a date. Readers whose cursor is older than a forgotten
    /// removal must start again.
    ///
    /// - Complexity: O(1) if no removal was made before the date; otherwise O(remembered removals).
    package mutating func forgetRemovals(before date: Date) {
        guard let earliest = earliestRemoval, earliest < date else { return }
        earliestRemoval = nil
        for (id, removal) in tombstones {
            if removal.removedAt < date {
                tombstones.removeValue(forKey: id)
                horizon = max(horizon, removal.position.revision)
            } else {
                earliestRemoval = min(earliestRemoval ?? removal.removedAt, removal.removedAt)
            }
        }
    }

    /// The progress of applying a batch: whether anything has changed so far, and the last ordinal used.
    private struct Writer {
        let revision: Revision
        var changed = false
        var clustersChanged = false
        var ordinal: UInt32 = 0

        mutating func nextPosition() -> ChangePosition {
            changed = true
            ordinal += 1
            return ChangePosition(revision: revision, ordinal: ordinal)
        }
    }

    private func check(_ batch: WriteBatch) throws {
        try batch.validate()
        try batch.expecting.check(
            epoch: epoch, revision: revision, clustersRevision: clustersRevision
        ) { rows[$0]?.position.revision }
        try checkDimensions(batch)
        try checkAssignments(batch)
    }

    /// Checks that all vectors will have the same dimension after the batch is applied.
    private func checkDimensions(_ batch: WriteBatch) throws {
        let replaced = Set(batch.upserts.map(\.id)).union(batch.removals)
        let leaving = replaced.reduce(0) {
            $0 + (rows[$1].map { record(of: $0).dimension > 0 } == true ? 1 : 0)
        }
        // If the batch replaces or removes all stored vectors, its own vectors may have another dimension.
        var expected = leaving == vectorCount ? nil : dimension
        for entry in batch.upserts where !entry.embeddings.isEmpty {
            let found = entry.embeddings.count
            if let expected, expected != found { throw StorageError.dimension(entry.id, found, expected) }
            expected = found
        }
    }

    /// Checks that the clusters of all assignments of stored entries will exist after the batch is applied.
    private func checkAssignments(_ batch: WriteBatch) throws {
        let removed = Set(batch.removals)
        let arriving = Set(batch.upserts.map(\.id))
        let clusters = Set((batch.clusters + (batch.clustering?.clusters ?? [])).map(\.id))
        func willExist(_ cluster: Cluster.ID) -> Bool {
            clusters.contains(cluster) || (batch.clustering == nil && clusterRecords[cluster] != nil)
        }
        for assignment in batch.assignments {
            guard
                arriving.contains(assignment.entry)
                    || (rows[assignment.entry] != nil && !removed.contains(assignment.entry))
            else { continue }
            if let cluster = assignment.cluster, !willExist(cluster) {
                throw StorageError.invalid(
                    "invalid batch: an assignment names cluster \(cluster), which is not in the store")
            }
        }
        if let clustering = batch.clustering {
            let known = Set(clustering.clusters.map(\.id))
            for assignment in clustering.assignments {
                if let cluster = assignment.cluster, !known.contains(cluster) {
                    throw StorageError.invalid(
                        "invalid batch: an assignment names cluster \(cluster), which the clustering lacks")
                }
            }
        }
    }

    /// Removes an entry and its assignment without recording a change.
    ///
    /// - Returns: Whether the entry was stored.
    @discardableResult
    mutating func forgetRow(_ id: Entry.ID) -> Bool {
        guard let old = rows.removeValue(forKey: id) else { return false }
        if Int(old.row) >= firstNewRow { newIDs[Int(old.row) - firstNewRow] = nil }
        forget(old)
        assignmentsByEntry.removeValue(forKey: id)
        return true
    }

    mutating func remember(_ removal: Removal) {
        tombstones[removal.id] = removal
        earliestRemoval = min(earliestRemoval ?? removal.removedAt, removal.removedAt)
    }

    private mutating func remove(_ id: Entry.ID, at date: Date, _ writer: inout Writer) {
        guard forgetRow(id) else { return }
        remember(Removal(id: id, position: writer.nextPosition(), removedAt: date))
    }

    private mutating func upsert(_ entry: Entry, _ writer: inout Writer) {
        let old = rows[entry.id]
        if let old { forget(old) }
        let row = old?.row ?? UInt32(firstNewRow + newIDs.count)
        if old == nil { newIDs.append(entry.id) }
        let resident = ResidentEntry(entry)
        rows[entry.id] = Row(stored: .resident(resident), row: row, position: writer.nextPosition())
        tombstones.removeValue(forKey: entry.id)
        if let source = entry.source { residentsBySource[ExactText(source), default: []].insert(entry.id) }
        if !entry.embeddings.isEmpty {
            embedded[resident.digest] = entry.id
            vectorCount += 1
            dimension = entry.embeddings.count
        }
    }

    /// Removes an entry that is being replaced or removed from the vector count and the lookup tables.
    private mutating func forget(_ old: Row) {
        if record(of: old).dimension > 0 {
            vectorCount -= 1
            if vectorCount == 0 { dimension = nil }
        }
        guard case .resident(let resident) = old.stored else { return }
        if embedded[resident.digest] == resident.entry.id { embedded.removeValue(forKey: resident.digest) }
        guard let source = resident.entry.source.map(ExactText.init) else { return }
        residentsBySource[source]?.remove(resident.entry.id)
        if residentsBySource[source]?.isEmpty == true { residentsBySource.removeValue(forKey: source) }
    }

    private mutating func applyClusters(_ batch: WriteBatch, _ writer: inout Writer) {
        if let clustering = batch.clustering { replaceClustering(clustering, &writer) }
        for var cluster in batch.clusters {
            cluster.members = []
            guard clusterRecords[cluster.id] != cluster else { continue }
            if clusterRecords.updateValue(cluster, forKey: cluster.id) == nil {
                clusterOrder.append(cluster.id)
            }
            writer.clustersChanged = true
        }
        for id in batch.unassignments where assignmentsByEntry.removeValue(forKey: id) != nil {
            writer.clustersChanged = true
        }
        for assignment in batch.assignments where rows[assignment.entry] != nil {
            guard assignmentsByEntry[assignment.entry] != assignment else { continue }
            assignmentsByEntry[assignment.entry] = assignment
            writer.clustersChanged = true
        }
    }

    private mutating func replaceClustering(_ clustering: WriteBatch.Clustering, _ writer: inout Writer) {
        var records: [UUID: Cluster] = [:]
        for var cluster in clustering.clusters {
            cluster.members = []
            records[cluster.id] = cluster
        }
        var assignments: TreeDictionary<UUID, Assignment> = [:]
        for assignment in clustering.assignments where rows[assignment.entry] != nil {
            assignments[assignment.entry] = assignment
        }
        let order = clustering.clusters.map(\.id)
        guard
            run != clustering.run || order != clusterOrder || records != clusterRecords
                || assignments != assignmentsByEntry
        else { return }
        run = clustering.run
        clusterOrder = order
        clusterRecords = records
        assignmentsByEntry = assignments
        writer.clustersChanged = true
    }
}
