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
        let (record, before) = try await record(of: batch)
        var lock: FileLock?
        var fault: StorageError?
        // Between the commit and the end of the recording, nothing may reference the documents of removed
        // sources. The lock keeps a compaction from removing them. If it runs for a long time, it must not keep
        // others from changing the store.
        if let originals, originals.exists,
            record.inverse.sources.contains(where: { $0.documentDigest != nil })
        {
            do {
                lock = try await originals.lockAgainstRemoval()
            } catch let error as StorageError {
                fault = error
            }
        }
        defer { lock?.release() }
        let revision = try await base.commit(batch)
        guard revision != before else { return revision }
        if revision != before.next, !batch.expectsAllEntries {
            // The inverse may lack the change of the other process.
            fault = StorageError(.conflict, "another process changed the store at the same time")
        }
        await recorder.record(fault.map { .failure($0) } ?? .success(record))
        return revision
    }

    /// Returns the record of a batch, and the revision that its inverse restores.
    ///
    /// The snapshot is released before the batch is committed: while a snapshot of the state before is held,
    /// the storage cannot reclaim space, and the log of a database would grow with each commit.
    private func record(of batch: WriteBatch) async throws -> (UndoRecord, Revision) {
        let snapshot = try await base.snapshot()
        var after = batch
        let inverse = try await batch.inverse(in: snapshot)
        if inverse.clustering != nil, batch.clustering == nil {
            let written = batch.clusters.byID
            let others = try await snapshot.clusterRecords().filter { written[$0.id] == nil }
            after.clustering = .init(run: nil, clusters: others + batch.clusters, assignments: [])
        }
        let record = UndoRecord(
            store: snapshot.stamp.store, epoch: snapshot.stamp.epoch, inverse: inverse,
            after: after.states.compactMapValues(\.self))
        return (record, snapshot.stamp.revision)
    }
}

extension WriteBatch {
    fileprivate var expectsAllEntries: Bool {
        expecting.revision != nil
            || (upserts.map(\.id) + removals).allSatisfy { expecting.entries[$0] != nil }
    }

    /// Returns the batch that restores the state before this one. An entry whose vectors this batch does not
    /// change has none.
    func inverse(in before: any StorageSnapshot) async throws -> WriteBatch {
        var inverse = WriteBatch()
        let touched = upserts.map(\.id) + removals
        let (old, new) = (try await before.entries(touched).byID, upserts.byID)
        var seen = Set<Entry.ID>()
        for id in touched where seen.insert(id).inserted {
            guard var entry = old[id] else {
                inverse.removals.append(id)
                continue
            }
            if let new = new[id], new.embeddings == entry.embeddings, new.passages == entry.passages,
                SourceDiff.hasSameText(new, entry)
            {
                (entry.embeddings, entry.passages) = ([], [])
            }
            inverse.upserts.append(entry)
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

    /// Whether the batch changes clusters, beyond assigning entries to them.
    var changesClusters: Bool { clustering != nil || !clusters.isEmpty }

    // MARK: States

    private static let entryPrefix = "entry "

    static func isEntry(_ object: String) -> Bool { object.hasPrefix(entryPrefix) }

    /// The states of the objects that the batch writes, by their names; `nil` for an object that it removes.
    ///
    /// The vectors of an entry are not part of its state.
    var states: [String: String?] {
        var states: [String: String?] = [:]
        for id in removals { states.updateValue(nil, forKey: Self.entryPrefix + id.text) }
        for var entry in upserts {
            (entry.embeddings, entry.passages) = ([], [])
            let json = (try? JSONTextEncoder().encode(entry)) ?? Data()
            states[Self.entryPrefix + entry.id.text] = UndoFolder.checksum(of: json)
        }
        for id in removedSources { states.updateValue(nil, forKey: "source \(id)") }
        for source in sources {
            // The fingerprint itself would keep an original file that no undo needs.
            states["source \(source.id)"] = UndoFolder.checksum(of: Data(source.fingerprint.utf8))
        }
        for cluster in clusters + (clustering?.clusters ?? []) {
            states["cluster \(cluster.id.text)"] = "\(cluster.updatedAt.milliseconds) \(cluster.label)"
        }
        if let clustering {
            let ids = clustering.clusters.map(\.id.text).sorted().joined()
            states["clusters"] = UndoFolder.checksum(of: Data(ids.utf8))
        }
        return states
    }

    /// The names of the objects of ``states``.
    var objects: Set<String> {
        var names = WriteBatch(removals: upserts.map(\.id), sources: sources)
        names.removals += removals
        (names.removedSources, names.clusters, names.clustering) = (removedSources, clusters, clustering)
        return Set(names.states.keys)
    }
}

extension StorageSnapshot {
    /// Returns the states of the objects that a batch writes (``WriteBatch/states``), without missing objects.
    func states(ofObjectsIn batch: WriteBatch) async throws -> [String: String] {
        var current = WriteBatch(
            upserts: try await entries(batch.upserts.map(\.id) + batch.removals),
            sources: try await sources(batch.sources.map(\.id) + batch.removedSources))
        if batch.changesClusters {
            current.clustering = .init(run: nil, clusters: try await clusterRecords(), assignments: [])
        }
        return current.states.compactMapValues(\.self)
    }
}
