public import Foundation
import RoostFiles
import RoostModel

/// Undoes the last group of commits that an ``UndoRecorder`` recorded.
struct Undo {
    let records: [UndoRecorder.Record]

    static func run(on store: KnowledgeStore, isDryRun: Bool) async throws -> UndoReport {
        let snapshot = try await store.storage.snapshot()
        guard let folder = store.undoRecorder?.directory ?? store.directory else {
            throw RoostError(.nothingToUndo, "nothing to undo: the changes of this store are not recorded")
        }
        let recorded = try await BlockingWork.run { _ in try UndoRecorder.contents(in: folder) }
        let undo = try Undo(recorded.records, stamp: snapshot.stamp)
        // A commit that another task makes during the undo does not belong to the undone group.
        let continueGroup = isDryRun ? nil : store.undoRecorder?.endGroup()
        let report: UndoReport
        do {
            report = try await UndoRecorder.$isSuspended.withValue(true) {
                try await undo.run(on: store.storage, snapshot, isDryRun: isDryRun)
            }
        } catch {
            continueGroup?()
            throw error
        }
        if !isDryRun {
            try await BlockingWork.run { _ in UndoRecorder.remove(recorded, in: folder) }
        }
        return report
    }

    init(_ records: [UndoRecorder.Record], stamp: Stamp) throws {
        guard let last = records.last else {
            throw RoostError(
                .nothingToUndo,
                stamp.revision == .zero
                    ? "nothing to undo: the store has not been changed"
                    : "nothing to undo: only the last change can be undone, and it was already undone or not "
                        + "recorded")
        }
        guard last.store != stamp.store || last.epoch == stamp.epoch else {
            throw RoostError(
                .nothingToUndo,
                "cannot undo '\(last.command)': the store has since been moved to another model, repaired or "
                    + "restored; this cannot be undone",
                remedy: .chooseSnapshot)
        }
        let areConsecutive = zip(records, records.dropFirst()).allSatisfy { $0.to == $1.from }
        // If a recorded commit advanced the revision by more than one, another process committed at the same
        // time, and the recorded inverse does not contain that process's changes.
        let areSingle = records.allSatisfy { $0.to == $0.from.next }
        let areOfOneGroup = Set(records.map(\.run)).count == 1
        guard areConsecutive, areSingle, areOfOneGroup, last.store == stamp.store,
            last.epoch == stamp.epoch, last.to == stamp.revision
        else {
            throw RoostError(
                .nothingToUndo,
                "cannot undo '\(last.command)': the store has been changed by another program or operation "
                    + "since then")
        }
        self.records = records
    }

    func run(
        on storage: any StorageProvider, _ snapshot: any StorageSnapshot, isDryRun: Bool
    ) async throws -> UndoReport {
        var batch = WriteBatch.merging(records.map(\.inverse))
        let touched = batch.upserts.map(\.id) + batch.removals
        let revisions = try await snapshot.revisions(of: touched)
        for id in touched { batch.expecting.entries[id] = revisions[id] ?? .zero }
        if batch.changesClusters || !batch.assignments.isEmpty || !batch.unassignments.isEmpty {
            batch.expecting.clusters = try await snapshot.clustersRevision()
        }
        let report = UndoReport(
            command: records[0].command, date: Date(milliseconds: records[0].date),
            removed: batch.removals.count { revisions[$0] != nil }, restored: batch.upserts.count,
            restoresClusters: batch.changesClusters)
        if !isDryRun { _ = try await storage.commit(batch) }
        return report
    }
}

/// The result of an undo.
public struct UndoReport: Sendable, Hashable, Encodable {
    /// The name of the operation that was undone.
    public var command: String
    /// The time of the operation.
    public var date: Date
    /// The number of entries that the operation had added, which the undo removes.
    public var removed: Int
    /// The number of entries that the operation had changed or removed, which the undo restores.
    public var restored: Int
    /// Whether the undo restores the clusters.
    public var restoresClusters: Bool
}
