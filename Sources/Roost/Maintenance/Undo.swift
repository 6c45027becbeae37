public import Foundation
import RoostFiles
import RoostModel

/// Undoes the last group of commits that an ``UndoRecorder`` recorded, the newest commit first.
///
/// A commit is undone only if all objects that it wrote are in the state in which it left them. One record is in
/// memory at a time.
struct Undo {
    private let storage: any StorageProvider
    private let folder: UndoFolder
    private let group: UndoFolder.Group

    static func run(on store: KnowledgeStore, isDryRun: Bool) async throws -> UndoReport {
        guard let directory = store.undoRecorder?.directory ?? store.directory else {
            throw RoostError(.nothingToUndo, "nothing to undo: the changes of this store are not recorded")
        }
        return try await run(on: store.storage, in: directory, store.undoRecorder, isDryRun: isDryRun)
    }

    static func run(
        on storage: any StorageProvider, in directory: URL, _ recorder: UndoRecorder? = nil,
        isDryRun: Bool = false
    ) async throws -> UndoReport {
        let folder = UndoFolder(in: directory)
        guard let group = try await BlockingWork.run({ _ in try folder.groups().last }) else {
            throw RoostError(
                .nothingToUndo,
                "nothing to undo: the store has not been changed, or its changes were undone or not recorded")
        }
        guard group.isComplete else { throw folder.damaged(group.name) }
        let undo = Undo(storage: storage, folder: folder, group: group)
        let report = try await undo.check()
        guard !isDryRun else { return report }
        // A commit that another task makes during the undo does not belong to the undone group.
        recorder?.end(group)
        try await UndoRecorder.$isSuspended.withValue(true) {
            for file in group.files.reversed() {
                try await undo.revert(try await undo.record(file))
                unlink(file.path)
            }
        }
        return report
    }

    private func record(_ file: URL) async throws -> UndoRecord {
        try await BlockingWork.run { [folder] _ in try folder.read(file) }
    }

    private func check() async throws -> UndoReport {
        let snapshot = try await storage.snapshot()
        var report = UndoReport(command: "", date: Date(), removed: 0, restored: 0, restoresClusters: false)
        // The states that the undo restores, and the objects that exist now.
        var restored: [String: String?] = [:]
        var existing = Set<String>()
        for file in group.files.reversed() {
            try Task.checkCancellation()
            let record = try await record(file)
            existing.formUnion(try await verify(record, in: snapshot, restored).keys)
            for object in record.after.keys { restored.updateValue(nil, forKey: object) }
            restored.merge(record.inverse.states) { $1 }
            (report.command, report.date) = (record.command, Date(milliseconds: record.date))
            report.restoresClusters = report.restoresClusters || record.inverse.changesClusters
        }
        for (object, state) in restored where WriteBatch.isEntry(object) {
            if state != nil { report.restored += 1 } else if existing.contains(object) { report.removed += 1 }
        }
        return report
    }

    /// Checks that the objects that a commit wrote are in the state in which it left them, and returns their
    /// current states.
    ///
    /// - Parameter restored: The states of objects that other states than those of the snapshot will replace.
    @discardableResult
    private func verify(
        _ record: UndoRecord, in snapshot: any StorageSnapshot, _ restored: [String: String?] = [:]
    ) async throws -> [String: String] {
        let stamp = snapshot.stamp
        guard record.store == stamp.store, record.epoch == stamp.epoch else {
            throw RoostError(
                .nothingToUndo,
                "cannot undo '\(record.command)': the store has since been moved to another model, repaired or "
                    + "restored; this cannot be undone",
                remedy: .chooseSnapshot)
        }
        let present = try await snapshot.states(ofObjectsIn: record.inverse)
        for object in record.objects {
            let state = if let known = restored[object] { known } else { present[object] }
            guard state == record.after[object] else {
                throw RoostError(
                    .nothingToUndo,
                    "cannot undo '\(record.command)': something that it changed has been changed by another "
                        + "program or operation since then")
            }
        }
        return present
    }

    private func revert(_ record: UndoRecord) async throws {
        try await ConflictRetry.standard.run {
            let snapshot = try await storage.snapshot()
            try await verify(record, in: snapshot)
            var batch = record.inverse
            let ids = batch.upserts.map(\.id) + batch.removals
            let revisions = try await snapshot.revisions(of: ids)
            for id in ids { batch.expecting.entries[id] = revisions[id] ?? .zero }
            let unembedded = batch.upserts.indices.filter { batch.upserts[$0].embeddings.isEmpty }
            let current = try await snapshot.entries(unembedded.map { batch.upserts[$0].id }).byID
            for index in unembedded {
                guard let entry = current[batch.upserts[index].id],
                    SourceDiff.hasSameText(entry, batch.upserts[index])
                else { continue }
                batch.upserts[index].embeddings = entry.embeddings
                batch.upserts[index].passages = entry.passages
            }
            if batch.changesClusters || !batch.assignments.isEmpty || !batch.unassignments.isEmpty {
                batch.expecting.clusters = try await snapshot.clustersRevision()
                // Another run may have replaced the clusters of removed entries.
                let known = Set((try await snapshot.clusterRecords() + batch.clusters).map(\.id))
                batch.assignments.removeAll { $0.cluster.map(known.contains) == false }
            }
            _ = try await storage.commit(batch)
        }
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
