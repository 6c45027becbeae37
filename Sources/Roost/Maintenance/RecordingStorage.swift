import Foundation
import RoostFiles
import RoostModel

extension StorageProvider {
    func recording(_ recorder: UndoRecorder, keeping originals: OriginalStore?) -> some StorageProvider {
        RecordingStorage(base: self, recorder: recorder, originals: originals)
    }
}

/// A decorator that records the inverse of every commit, except those that undo others.
private struct RecordingStorage<Base: StorageProvider>: StorageDecorator {
    let base: Base
    let recorder: UndoRecorder
    let originals: OriginalStore?

    func commit(_ batch: WriteBatch) async throws -> Revision {
        guard !UndoRecorder.isSuspended else { return try await base.commit(batch) }
        // Another process may commit between the two calls. In that case the recorded revisions are not
        // consecutive, and the undo is refused.
        let (inverse, before) = try await inverse(of: batch)
        // Between the commit and the end of the recording, nothing may reference the documents of removed
        // sources. The lock keeps a compaction from removing them.
        let lock = try await lockDocuments(of: inverse)
        defer { if case .success(let lock) = lock { lock?.release() } }
        let revision = try await base.commit(batch)
        guard revision != before.revision else { return revision }
        switch lock {
        case .success: await recorder.record(inverse, from: before, to: revision)
        // A compaction that runs for a long time must not keep anybody from changing the store.
        case .failure(let error): await recorder.fail(error)
        }
        return revision
    }

    /// Returns the inverse of a batch, and the stamp of the state that it restores.
    ///
    /// The snapshot is released before the batch is committed: while a snapshot of the state before is held,
    /// the storage cannot reclaim space, and the log of a database would grow with each commit.
    private func inverse(of batch: WriteBatch) async throws -> (WriteBatch, Stamp) {
        let snapshot = try await base.snapshot()
        return (try await batch.inverse(in: snapshot), snapshot.stamp)
    }

    /// Acquires the lock that keeps the documents of the sources that a batch restores.
    ///
    /// - Returns: A lock, or `nil` if the batch needs no document; a failure if the lock was not free in time
    ///   or cannot be used.
    private func lockDocuments(of inverse: WriteBatch) async throws -> Result<FileLock?, StorageError> {
        guard let originals, originals.exists,
            inverse.sources.contains(where: { $0.documentDigest != nil })
        else { return .success(nil) }
        do {
            return .success(try await originals.lockAgainstRemoval())
        } catch let error as StorageError {
            return .failure(error)
        }
    }
}

extension WriteBatch {
    /// Returns the batch that restores the state before this one.
    func inverse(in before: any StorageSnapshot) async throws -> WriteBatch {
        var inverse = WriteBatch()
        let touched = upserts.map(\.id) + removals
        let old = try await before.entries(touched).byID
        var seen = Set<Entry.ID>()
        for id in touched where seen.insert(id).inserted {
            if let entry = old[id] { inverse.upserts.append(entry) } else { inverse.removals.append(id) }
        }
        inverse.sources = try await before.sources(sources.map(\.id) + removedSources)
        let known = Set(inverse.sources.map { ExactText($0.id) })
        inverse.removedSources = sources.map(\.id).filter { !known.contains(ExactText($0)) }
        try await invertClusters(&inverse, in: before)
        return inverse
    }

    private func invertClusters(_ inverse: inout WriteBatch, in before: any StorageSnapshot) async throws {
        let changed = Set(clusters.map(\.id))
        let known =
            changed.isEmpty ? [] : try await before.clusterRecords().filter { changed.contains($0.id) }
        // A batch cannot remove a single cluster, so the inverse of adding one is the complete old
        // clustering.
        guard clustering == nil, known.count == changed.count else {
            inverse.clustering = Clustering(
                run: try await before.clusteringRun(), clusters: try await before.clusters(),
                assignments: try await before.assignments(of: nil))
            return
        }
        inverse.clusters = known
        let moved = Set(assignments.map(\.entry) + unassignments)
        let touched = moved.union(removals)
        guard !touched.isEmpty else { return }
        inverse.assignments = try await before.assignments(of: Array(touched))
        let assigned = Set(inverse.assignments.map(\.entry) + inverse.removals)
        inverse.unassignments = moved.filter { !assigned.contains($0) }.sorted()
    }

    /// Returns one batch that has the same effect as applying the inverse batches from the last to the first.
    ///
    /// - Parameter inverses: The inverses of consecutive commits, oldest first. If several of them restore
    ///   the same object, the first of these contains its original state.
    static func merging(_ inverses: [WriteBatch]) -> WriteBatch {
        var merged = WriteBatch()
        var (entries, sources, assigned) = (Set<Entry.ID>(), Set<ExactText>(), Set<Entry.ID>())
        var clusters = Set<Cluster.ID>()
        for inverse in inverses {
            for entry in inverse.upserts where entries.insert(entry.id).inserted {
                merged.upserts.append(entry)
            }
            for id in inverse.removals where entries.insert(id).inserted { merged.removals.append(id) }
            for source in inverse.sources where sources.insert(ExactText(source.id)).inserted {
                merged.sources.append(source)
            }
            for id in inverse.removedSources where sources.insert(ExactText(id)).inserted {
                merged.removedSources.append(id)
            }
            // A complete clustering contains all assignments and clusters, so later inverses add nothing to
            // it.
            if merged.clustering == nil {
                for assignment in inverse.assignments where assigned.insert(assignment.entry).inserted {
                    merged.assignments.append(assignment)
                }
                for id in inverse.unassignments where assigned.insert(id).inserted {
                    merged.unassignments.append(id)
                }
                for cluster in inverse.clusters where clusters.insert(cluster.id).inserted {
                    merged.clusters.append(cluster)
                }
                merged.clustering = inverse.clustering
            }
        }
        if var clustering = merged.clustering {
            // The inverses before the one with the complete clustering belong to earlier commits, so the
            // assignments and clusters that they restore take precedence.
            clustering.assignments.removeAll { assigned.contains($0.entry) }
            clustering.assignments += merged.assignments
            let records = merged.clusters.byID
            clustering.clusters = clustering.clusters.map { records[$0.id] ?? $0 }
            (merged.assignments, merged.unassignments, merged.clusters) = ([], [], [])
            merged.clustering = clustering
        }
        return merged
    }

    /// Whether the batch changes clusters, beyond assigning entries to them.
    var changesClusters: Bool { clustering != nil || !clusters.isEmpty }
}
