import RoostFiles

extension KnowledgeStore {
    /// Undoes the commits that an ``UndoRecorder`` recorded last, in one commit.
    ///
    /// Removed entries are restored with their ids, vectors and dates, as the newest rows of the store. Only
    /// the last recorded group can be undone, and only until something else is committed to the store. For a
    /// store in a folder, commits that an earlier process recorded can also be undone.
    ///
    /// - **Atomicity**: Either all of these commits are undone, or none.
    /// - Parameter isDryRun: Whether to return the report without changing the store.
    /// - Throws: ``RoostError`` with `.nothingToUndo`, or with `.noInput` if the record cannot be read;
    ///   `StorageError`.
    @concurrent @discardableResult
    public func undo(isDryRun: Bool = false) async throws -> UndoReport {
        let snapshot = try await storage.snapshot()
        // A recorder can keep its records in memory, or in another folder than that of the store.
        let (recorded, isInFolder) = try await BlockingWork.run { [self] _ in
            let recorded = try undoRecorder?.contents() ?? UndoRecorder.Contents(records: [])
            guard recorded.records.isEmpty, let directory else { return (recorded, false) }
            return (try UndoRecorder.contents(in: directory), true)
        }
        let undo = try Undo(recorded.records, stamp: snapshot.stamp)
        // A commit that another task makes during the undo does not belong to the undone group.
        let continueGroup = isDryRun ? nil : undoRecorder?.endGroup()
        let report: UndoReport
        do {
            report = try await UndoRecorder.$isSuspended.withValue(true) {
                try await undo.run(on: storage, snapshot, isDryRun: isDryRun)
            }
        } catch {
            continueGroup?()
            throw error
        }
        if !isDryRun {
            try await BlockingWork.run { [self] _ in
                if isInFolder, let directory {
                    UndoRecorder.remove(recorded, in: directory)
                } else {
                    undoRecorder?.remove(recorded)
                }
            }
        }
        return report
    }

    /// Reclaims the space of removed data in the storage, and of original files that no source
    /// references.
    ///
    /// - Throws: `StorageError`; `ChunkStorageError`.
    public func compact() async throws {
        try await storage.compact()
        guard let directory, let originals else { return }
        try await originals.removeUnreferenced(by: storage, in: directory, recorder: undoRecorder)
    }
}
