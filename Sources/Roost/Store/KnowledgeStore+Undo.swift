public import Foundation
import RoostFiles
import RoostModel

/// What an undo takes back.
public struct UndoReport: Sendable, Hashable, Encodable {
    /// The command that is taken back.
    public var command: String
    /// When it was given.
    public var date: Date
    /// Entries that it had added, and that go.
    public var removed: Int
    /// Entries that it had changed or removed, and that come back as they were.
    public var restored: Int
    /// Whether the clusters of before come back.
    public var restoresClusters: Bool
}

extension KnowledgeStore {
    /// Takes back what the program before committed, if it wrote it down (``UndoRecorder``): every commit of
    /// it, in one. Entries that were removed come back with their ids, vectors and dates, behind the others.
    ///
    /// One step only, and only while nothing else has been committed to the store since.
    /// - Parameters:
    ///   - directory: the store's folder.
    ///   - isDryRun: says what would be done, and does nothing.
    /// - Atomicity: all or nothing.
    /// - Throws: ``RoostError`` with `.nothingToUndo`; ``StorageError``.
    public func undo(in directory: URL, isDryRun: Bool = false) async throws -> UndoReport {
        let snapshot = try await storage.snapshot()
        let lines = try Self.undoLines(in: directory, snapshot.stamp)
        let (batch, isClustering) = Self.merged(lines.map(\.inverse))
        var expecting = WriteBatch.Expectation()
        let touched = batch.upserts.map(\.id) + batch.removals
        let revisions = try await snapshot.revisions(of: touched)
        for id in touched { expecting.entries[id] = revisions[id] ?? .zero }
        if isClustering || !batch.assignments.isEmpty || !batch.unassignments.isEmpty {
            expecting.clusters = try await snapshot.clustersRevision()
        }
        var whole = batch
        whole.expecting = expecting
        let report = UndoReport(
            command: lines[0].command, date: Date(milliseconds: lines[0].date),
            removed: batch.removals.count { revisions[$0] != nil }, restored: batch.upserts.count,
            restoresClusters: isClustering)
        guard !isDryRun else { return report }
        _ = try await storage.commit(whole)
        try? FileSystem.standard.unlink(UndoRecorder.url(directory).path)
        return report
    }

    private static func undoLines(in directory: URL, _ stamp: Stamp) throws -> [UndoRecorder.Line] {
        guard let data = FileManager.default.contents(atPath: UndoRecorder.url(directory).path) else {
            throw RoostError(.nothingToUndo, "there is nothing to take back in \(directory.path)")
        }
        let lines = try data.split(separator: UInt8(ascii: "\n")).map { line in
            guard let line = try? JSONDecoder().decode(UndoRecorder.Line.self, from: line) else {
                throw RoostError(
                    .nothingToUndo, "what was written down to take back is damaged; nothing was changed")
            }
            return line
        }
        let follows = zip(lines, lines.dropFirst()).allSatisfy { $0.to == $1.from }
        // A revision more than one later is of a commit that came in between, and was not looked at.
        let areSingle = lines.allSatisfy { $0.to == $0.from.next }
        let areOfOneRun = Set(lines.map(\.run)).count <= 1
        guard let last = lines.last, follows, areSingle, areOfOneRun, last.store == stamp.store,
            last.epoch == stamp.epoch,
            last.to == stamp.revision
        else {
            throw RoostError(
                .nothingToUndo,
                "the store has been changed by something else since `roost \(lines.last?.command ?? "…")`, "
                    + "which therefore cannot be taken back")
        }
        return lines
    }

    /// One batch that does what these do, the last first. Of what several change, the first one knows how it
    /// was.
    private static func merged(_ inverses: [WriteBatch]) -> (WriteBatch, isClustering: Bool) {
        var merged = WriteBatch()
        var (entries, sources, assigned) = (Set<Entry.ID>(), Set<[UInt8]>(), Set<Entry.ID>())
        var clusters = Set<Cluster.ID>()
        for inverse in inverses {
            for entry in inverse.upserts where entries.insert(entry.id).inserted {
                merged.upserts.append(entry)
            }
            for id in inverse.removals where entries.insert(id).inserted { merged.removals.append(id) }
            for source in inverse.sources where sources.insert(Array(source.id.utf8)).inserted {
                merged.sources.append(source)
            }
            for id in inverse.removedSources where sources.insert(Array(id.utf8)).inserted {
                merged.removedSources.append(id)
            }
            // After the first that knows all assignments, the others know no more.
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
            clustering.assignments.removeAll { assigned.contains($0.entry) }
            clustering.assignments += merged.assignments
            let records = Dictionary(merged.clusters.map { ($0.id, $0) }) { first, _ in first }
            clustering.clusters = clustering.clusters.map { records[$0.id] ?? $0 }
            (merged.assignments, merged.unassignments, merged.clusters) = ([], [], [])
            merged.clustering = clustering
        }
        return (merged, merged.clustering != nil || !merged.clusters.isEmpty)
    }
}
