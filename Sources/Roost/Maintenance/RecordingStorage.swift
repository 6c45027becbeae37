import RoostFiles
import RoostModel

extension StorageProvider {
    /// Returns this storage with every commit recorded by `recorder`.
    ///
    /// - Parameter originals: The original files of the store; `nil` if it has no folder.
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
    /// - Throws: `CancellationError`.
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
