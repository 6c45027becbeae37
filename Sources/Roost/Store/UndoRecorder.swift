public import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// Writes down, beside a store, how to take back what one program commits: a file `undo.jsonl` with a line
/// for each commit, oldest first, begun anew by the first commit of each program.
///
/// What was written down can be taken back as long as nothing else has been committed since.
public final class UndoRecorder: Sendable {
    /// A line of the file.
    struct Line: Codable {
        /// The same in all lines of one program.
        var run: UUID
        var command: String
        var date: Int64
        var store: UUID
        var epoch: UUID
        /// Before and after the commit.
        var from: Revision
        var to: Revision
        /// What puts everything back.
        var inverse: WriteBatch
    }

    static let fileName = "undo.jsonl"
    /// A record larger than this is given up: what it would take back is better kept as a backup.
    static let largest = 256 << 20

    private struct State {
        var size = 0
        var isBroken = false
        /// The file that was begun: another program may have begun its own since.
        var file: FileIdentity?
    }

    let directory: URL
    let command: String
    private let run = UUID()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - directory: the store's folder.
    ///   - command: the name of what is being done, for people.
    public init(directory: URL, command: String) {
        self.directory = directory
        self.command = command
    }

    static func url(_ directory: URL) -> URL { directory.appendingPathComponent(fileName) }

    /// Best effort: the commit has succeeded before, and an undo that is not whole is refused.
    func record(_ inverse: WriteBatch, from before: Stamp, to revision: Revision) {
        let line = Line(
            run: run, command: command, date: Date().milliseconds, store: before.store, epoch: before.epoch,
            from: before.revision, to: revision, inverse: inverse)
        state.withLock { state in
            guard !state.isBroken else { return }
            do {
                let data = try JSONEncoder().encode(line) + Data("\n".utf8)
                let url = Self.url(directory)
                if state.size == 0 {
                    try AtomicFile.write(data, to: url)
                    state.file = FileIdentity(url)
                } else {
                    guard FileIdentity(url) == state.file else {
                        // The store was changed by two at once: neither can be taken back.
                        throw FileError(operation: "append to", path: url.path, errno: ESTALE)
                    }
                    let file = try FileDescriptor(url.path, O_WRONLY | O_APPEND)
                    try data.withUnsafeBytes { try file.write($0) }
                }
                state.size += data.count
                guard state.size <= Self.largest else {
                    throw FileError(operation: "write", path: url.path, errno: EFBIG)
                }
            } catch {
                state.isBroken = true
                unlink(Self.url(directory).path)
            }
        }
    }
}

extension StorageProvider {
    /// Writes down how to take back what is committed.
    func recording(_ recorder: UndoRecorder) -> some StorageProvider {
        RecordingStorage(base: self, recorder: recorder)
    }
}

/// The verbs are done over `commit`, so that each is written down.
private struct RecordingStorage<Base: StorageProvider>: StorageProvider {
    let base: Base
    let recorder: UndoRecorder

    func commit(_ batch: WriteBatch) async throws -> Revision {
        // Another process may commit in between: then the line does not follow, and the undo is refused.
        let before = try await base.snapshot()
        let inverse = try await batch.inverse(in: before)
        let revision = try await base.commit(batch)
        if revision != before.stamp.revision {
            recorder.record(inverse, from: before.stamp, to: revision)
        }
        return revision
    }

    func snapshot() async throws -> any StorageSnapshot { try await base.snapshot() }
    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await base.changes(after: cursor, limit: limit)
    }
    func renewEpoch() async throws -> Stamp { try await base.renewEpoch() }
    func compact() async throws { try await base.compact() }
    func close() async throws { try await base.close() }
    func fetchEntries() async throws -> [Entry] { try await base.fetchEntries() }
    func fetchClusters() async throws -> [Cluster] { try await base.fetchClusters() }
}

extension WriteBatch {
    /// What puts back what this batch will change.
    ///
    /// - Parameter before: the store as it is.
    func inverse(in before: any StorageSnapshot) async throws -> WriteBatch {
        var inverse = WriteBatch()
        let touched = upserts.map(\.id) + removals
        let old = Dictionary(
            try await before.entries(touched).map { ($0.id, $0) }
        ) { first, _ in first }
        var seen = Set<Entry.ID>()
        for id in touched where seen.insert(id).inserted {
            if let entry = old[id] { inverse.upserts.append(entry) } else { inverse.removals.append(id) }
        }
        let named = sources.map(\.id) + removedSources
        let records = try await before.sources(named)
        inverse.sources = records
        let known = Set(records.map { Array($0.id.utf8) })
        inverse.removedSources = sources.map(\.id).filter { !known.contains(Array($0.utf8)) }
        try await invertClusters(&inverse, in: before)
        return inverse
    }

    private func invertClusters(_ inverse: inout WriteBatch, in before: any StorageSnapshot) async throws {
        let changed = Set(clusters.map(\.id))
        let known =
            changed.isEmpty ? [] : try await before.clusterRecords().filter { changed.contains($0.id) }
        // A cluster that is new goes only with the whole clustering.
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
        inverse.unassignments = moved.filter { !assigned.contains($0) }.sorted {
            $0.uuidString < $1.uuidString
        }
    }
}
