import Foundation
public import RoostModel

extension BackupRepository {
    /// A batch is committed when it reaches this number of entries or the number of bytes given below. While
    /// it is committed, the next batch is read, so two batches are held in memory.
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
    ///   - onLoss: Called with the parts that are damaged, which are then skipped. If it is `nil`, the first
    ///     damaged part causes an error.
    /// - Returns: The stamp of the restored store.
    /// - Throws: ``BackupError``: `.exists` if the store has entries, `.damaged` if the snapshot cannot be
    ///   read, `.locked` if another process is pruning the repository; `StorageError` or `ChunkStorageError`
    ///   if reading or writing fails; `CancellationError`.
    @discardableResult
    @concurrent
    public func restore(
        _ snapshot: BackupSnapshot, into storage: any StorageProvider,
        documents: (any ChunkStorage)? = nil, progress: @Sendable (Int, Int) -> Void = { _, _ in },
        onLoss: (@Sendable (BackupLoss) -> Void)? = nil
    ) async throws -> Stamp {
        guard try await storage.snapshot().stamp.entryCount == 0 else {
            throw BackupError(.exists, "cannot restore the backup: the target store is not empty")
        }
        return try await RepositoryLock.with(exclusive: false, toleratesReadOnly: true, retrieval) { _ in
            let reader = SnapshotReader(
                self, snapshot, try await segments(acceptingDamagedPacks: true), onLoss: onLoss)
            let (assignments, done) = try await restoreEntries(reader, into: storage, progress)
            guard done == snapshot.stamp.entryCount || onLoss != nil else {
                throw BackupError(
                    .damaged,
                    "cannot restore snapshot \(snapshot.id.prefix(12)): it contains \(done) entries instead "
                        + "of \(snapshot.stamp.entryCount)", remedy: .verifyBackup)
            }
            if let documents { try await restoreOriginals(reader, into: documents) }
            var rest = try await reader.rest(assignments)
            if reader.isIncomplete {
                // The next ingest of a source must not skip it as unchanged, because it restores what is
                // missing.
                for index in rest.sources.indices { rest.sources[index].fingerprint += ";incomplete" }
            }
            _ = try await storage.commit(rest)
            return try await storage.renewEpoch()
        }
    }

    private func restoreEntries(
        _ reader: SnapshotReader, into storage: any StorageProvider,
        _ progress: @Sendable (Int, Int) -> Void
    ) async throws -> (assignments: [Assignment], count: Int) {
        let total = reader.snapshot.stamp.entryCount
        let (groups, expected) = try await groups(reader)
        if expected < total, reader.allowsLosses {
            reader.report(.init(.entries, count: total - expected))
        }
        var (assignments, done) = ([Assignment](), 0)
        var next = try await reader.entries(of: groups.first ?? [])
        for index in groups.indices {
            try Task.checkCancellation()
            let current = next
            // The next group is read while this one is committed.
            async let following = reader.entries(of: index + 1 < groups.count ? groups[index + 1] : [])
            _ = try await storage.commit(WriteBatch(upserts: current.entries))
            assignments += current.assignments
            done += current.entries.count
            progress(done, total)
            next = try await following
        }
        return (assignments, done)
    }

    /// Returns the runs of a snapshot in groups, each of which becomes one batch, and the number of their
    /// entries.
    private func groups(_ reader: SnapshotReader) async throws -> (groups: [[RunRecord]], count: Int) {
        var (groups, group, count, bytes, all) = ([[RunRecord]](), [RunRecord](), 0, 0, 0)
        for list in reader.snapshot.lists {
            // The number of entries in damaged lists is the difference between the number in the snapshot and
            // the number in intact lists.
            for run in try await reader.intact({ try await runs(of: list, reader.segments) }) ?? [] {
                group.append(run)
                count += run.count
                all += run.count
                bytes += run.all.reduce(0) { $0 + (reader.segments.location(of: $1.0)?.size ?? 0) }
                if count >= Self.batchSize || bytes >= Self.batchBytes {
                    groups.append(group)
                    (group, count, bytes) = ([], 0, 0)
                }
            }
        }
        return (group.isEmpty ? groups : groups + [group], all)
    }

    func runs(of list: SegmentID, _ store: SegmentStore) async throws -> [RunRecord] {
        try decoded("a list of entries", try await store.read(list, .list)) { try RunListCodec.decode($0) }
    }

    /// Returns whether an error means that a part of the repository is corrupt or missing.
    static func isDamage(_ error: any Error) -> Bool {
        (error as? BackupError)?.code == .damaged || (error as? ChunkStorageError)?.isDamage == true
    }

    /// Decodes the bytes of a segment whose digest is correct. The bytes can still be invalid if another
    /// version of Roost or a malicious program wrote them.
    func decoded<Value>(_ contents: String, _ data: Data, _ decode: (Data) throws -> Value) throws
        -> Value
    {
        do {
            return try decode(data)
        } catch {
            throw BackupError(
                .damaged, "cannot decode \(contents) in the backup", remedy: .verifyBackup)
        }
    }
}
