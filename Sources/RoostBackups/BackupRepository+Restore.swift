import Foundation
public import RoostChunks
public import RoostModel

extension BackupRepository {
    /// A batch is committed when it reaches this number of entries or the number of bytes below. The whole
    /// batch is held in memory, and so is the next one, which is read at the same time.
    private static let batchSize = 2000
    private static let batchBytes = 16 << 20

    /// Restores a snapshot into an empty store.
    ///
    /// The entries keep their order. The store begins a new epoch, which prevents the use of indexes that
    /// were derived from another history.
    ///
    /// - **Atomicity**: The entries are committed in several batches. After an error, the store contains a
    ///   part of the snapshot and must be discarded.
    /// - Parameters:
    ///   - snapshot: The snapshot to restore.
    ///   - storage: An empty store.
    ///   - documents: The storage for original files of the snapshot; `nil` skips them.
    ///   - progress: Called repeatedly with the number of entries that have been written and the total number
    ///     of entries.
    ///   - onDamagedDocument: Called with the digest of each corrupt file, which is skipped. If it is `nil`,
    ///     the first corrupt file causes an error.
    /// - Returns: The stamp of the restored store.
    /// - Throws: ``BackupError``: `.exists` if the store has entries, `.damaged` if the snapshot cannot be
    ///   read, `.locked` if another process is pruning the repository; `StorageError` or `ChunkStorageError`
    ///   if reading or writing fails; `CancellationError`.
    @discardableResult
    @concurrent
    public func restore(
        _ snapshot: BackupSnapshot, into storage: any StorageProvider,
        documents: (any ChunkStorage)? = nil, progress: @Sendable (Int, Int) -> Void = { _, _ in },
        onDamagedDocument: (@Sendable (String) -> Void)? = nil
    ) async throws -> Stamp {
        guard try await storage.snapshot().stamp.entryCount == 0 else {
            throw BackupError(.exists, "cannot restore the backup: the target store is not empty")
        }
        return try await RepositoryLock.with(exclusive: false, toleratesReadOnly: true, retrieval) { _ in
            let store = try await segments()
            let groups = try await groups(of: snapshot, store)
            var (assignments, done) = ([Assignment](), 0)
            var next = try await entries(of: groups.first ?? [], store)
            for index in groups.indices {
                try Task.checkCancellation()
                let current = next
                // The next group is read while this one is committed.
                async let following = entries(of: index + 1 < groups.count ? groups[index + 1] : [], store)
                _ = try await storage.commit(WriteBatch(upserts: current.entries))
                assignments += current.assignments
                done += current.entries.count
                progress(done, snapshot.stamp.entryCount)
                next = try await following
            }
            guard done == snapshot.stamp.entryCount else {
                throw BackupError(
                    .damaged,
                    "cannot restore snapshot \(snapshot.id.prefix(12)): it contains \(done) entries instead "
                        + "of \(snapshot.stamp.entryCount)", remedy: .verifyBackup)
            }
            if let documents {
                try await restoreOriginals(
                    of: snapshot, into: documents, store, onDamage: onDamagedDocument)
            }
            _ = try await storage.commit(try await rest(of: snapshot, assignments, store))
            return try await storage.renewEpoch()
        }
    }

    /// Returns the runs of a snapshot in groups, each of which becomes one batch.
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

    /// Returns the runs of a list.
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

    /// Returns the batch that restores everything except entries: sources, clusters, the clustering run and
    /// assignments.
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

    /// Returns the entries of a run with their vectors, and their assignments.
    func entries(
        of run: RunRecord, _ store: SegmentStore
    ) async throws -> (entries: [Entry], assignments: [Assignment]) {
        let ids = try decoded("ids", try await store.read(run.ids, .ids), EntryCodec.decodeIDs)
        guard ids.count == run.count else {
            throw BackupError(
                .damaged, "cannot read the backup: a run has \(ids.count) ids for \(run.count) entries",
                remedy: .verifyBackup)
        }
        var entries = try decoded("entries", try await store.read(run.entries, .entries)) {
            try EntryCodec.decodeTexts($0, ids: ids)
        }
        try decoded("vectors", try await store.read(run.vectors, .vectors)) {
            try EntryCodec.decodeVectors($0, into: &entries)
        }
        guard let segment = run.assignments else { return (entries, []) }
        let assignments = try decoded("assignments", try await store.read(segment, .assignments)) {
            try EntryCodec.decodeAssignments($0, ids: ids)
        }
        return (entries, assignments)
    }

    /// Decodes the bytes of a segment whose digest is correct. The bytes can still be invalid if another
    /// version of Roost or a manipulated program wrote them.
    private func decoded<Value>(_ contents: String, _ data: Data, _ decode: (Data) throws -> Value) throws
        -> Value
    {
        do {
            return try decode(data)
        } catch {
            throw BackupError(
                .damaged, "cannot decode \(contents) of the backup", remedy: .verifyBackup)
        }
    }
}
