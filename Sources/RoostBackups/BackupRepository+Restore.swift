import Foundation
public import RoostChunks
public import RoostModel

extension BackupRepository {
    private static let batchSize = 2000
    private static let batchBytes = 16 << 20

    /// Writes a snapshot into an empty store.
    ///
    /// Entries come in the order in which they were; the store begins a new history, so that nothing derived
    /// from another state is taken for one of this.
    /// - Parameters:
    ///   - documents: takes in the source documents that the snapshot has; `nil` leaves them out.
    ///   - onDamagedDocument: told the digest of a document that is damaged, which is left out then; `nil`
    ///     throws.
    ///   - progress: told now and then how many entries have been written, and how many there are.
    /// - Returns: the stamp of the store.
    /// - Throws: ``BackupError`` with `.exists` where the store has entries, `.damaged`; ``StorageError``;
    ///   ``ChunkStorageError``; `CancellationError`. What was committed before is there then: the store is to
    ///   be thrown away.
    @discardableResult
    @concurrent
    public func restore(
        _ snapshot: BackupSnapshot, into storage: any StorageProvider,
        documents: (any ChunkStorage)? = nil, progress: @Sendable (Int, Int) -> Void = { _, _ in },
        onDamagedDocument: (@Sendable (String) -> Void)? = nil
    ) async throws -> Stamp {
        guard try await storage.snapshot().stamp.entryCount == 0 else {
            throw BackupError(.exists, "a backup is restored into an empty store; this one has entries")
        }
        return try await RepositoryLock.with(exclusive: false, canDoWithout: true, retrieval) { _ in
            let store = try await segments()
            let groups = try await groups(of: snapshot, store)
            var (assignments, done) = ([Assignment](), 0)
            var next = try await entries(of: groups.first ?? [], store)
            for place in groups.indices {
                try Task.checkCancellation()
                let current = next
                // The next entries are read while these are written.
                async let following = entries(of: place + 1 < groups.count ? groups[place + 1] : [], store)
                _ = try await storage.commit(WriteBatch(upserts: current.entries))
                assignments += current.assignments
                done += current.entries.count
                progress(done, snapshot.stamp.entryCount)
                next = try await following
            }
            guard done == snapshot.stamp.entryCount else {
                throw BackupError(
                    .damaged,
                    "snapshot \(snapshot.id.prefix(12)) has \(done) entries where it says "
                        + "\(snapshot.stamp.entryCount)")
            }
            if let documents {
                try await restoreOriginals(
                    of: snapshot, into: documents, store, onDamage: onDamagedDocument)
            }
            _ = try await storage.commit(try await rest(of: snapshot, assignments, store))
            return try await storage.renewEpoch()
        }
    }

    /// Runs of entries, in groups of some thousand entries.
    private func groups(of snapshot: BackupSnapshot, _ store: SegmentStore) async throws -> [[RunRecord]] {
        var (groups, group, count, bytes) = ([[RunRecord]](), [RunRecord](), 0, 0)
        for list in snapshot.lists {
            for run in try await runs(of: list, store) {
                group.append(run)
                count += run.count
                bytes += run.all.reduce(0) { $0 + (store.location(of: $1.0)?.size ?? 0) }
                if count >= Self.batchSize || bytes >= Self.batchBytes {
                    groups.append(group)
                    (group, count, bytes) = ([], 0, 0)
                }
            }
        }
        return group.isEmpty ? groups : groups + [group]
    }

    /// The runs of a list.
    func runs(of list: SegmentID, _ store: SegmentStore) async throws -> [RunRecord] {
        try decoded("a list of entries", try await store.read(list, .list)) { try RunListCodec.decode($0) }
    }

    @concurrent
    private func entries(
        of runs: [RunRecord], _ store: SegmentStore
    ) async throws -> (entries: [Entry], assignments: [Assignment]) {
        var all: (entries: [Entry], assignments: [Assignment]) = ([], [])
        for run in runs {
            let read = try await entries(of: run, store)
            all.entries += read.entries
            all.assignments += read.assignments
        }
        return all
    }

    /// Clusters, their run and sources.
    private func rest(
        of snapshot: BackupSnapshot, _ assignments: [Assignment], _ store: SegmentStore
    ) async throws -> WriteBatch {
        var batch = WriteBatch()
        for id in snapshot.sources {
            let data = try await store.read(id, .sources)
            batch.sources += try decoded("sources", data, RecordCodec.decodeSources)
        }
        var clusters: [Cluster] = []
        for id in snapshot.clusters {
            let data = try await store.read(id, .clusters)
            clusters += try decoded("clusters", data, RecordCodec.decodeClusters)
        }
        var run: ClusteringRun?
        if let id = snapshot.run {
            run = try decoded("a run", try await store.read(id, .run), RecordCodec.decodeRun)
        }
        if run != nil || !clusters.isEmpty || !assignments.isEmpty {
            batch.clustering = .init(run: run, clusters: clusters, assignments: assignments)
        }
        return batch
    }

    /// The entries of a run, with their vectors.
    func entries(
        of run: RunRecord, _ store: SegmentStore
    ) async throws -> (entries: [Entry], assignments: [Assignment]) {
        let ids = try decoded("ids", try await store.read(run.ids, .ids), EntryCodec.decodeIDs)
        guard ids.count == run.count else {
            throw BackupError(.damaged, "a run of the backup has \(ids.count) ids for \(run.count) entries")
        }
        var entries = try decoded("entries", try await store.read(run.entries, .entries)) {
            try EntryCodec.decodeTexts($0, ids: ids)
        }
        try decoded("vectors", try await store.read(run.vectors, .vectors)) {
            try EntryCodec.decodeVectors($0, into: &entries)
        }
        guard let places = run.assignments else { return (entries, []) }
        let assignments = try decoded("assignments", try await store.read(places, .assignments)) {
            try EntryCodec.decodeAssignments($0, ids: ids)
        }
        return (entries, assignments)
    }

    /// Bytes that have their name and are not what they should be: another version's, or a false one's.
    private func decoded<Value>(_ what: String, _ data: Data, _ decode: (Data) throws -> Value) throws
        -> Value
    {
        do {
            return try decode(data)
        } catch {
            throw BackupError(.damaged, "\(what) of the backup cannot be read")
        }
    }
}
