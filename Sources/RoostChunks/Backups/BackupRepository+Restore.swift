import Foundation
import RoostFiles
public import RoostModel
import Synchronization

extension BackupRepository {
    /// A batch is committed when it reaches this number of entries or the number of bytes given below. While
    /// it is committed, the next batch is read, so two batches are held in memory.
    private static let batchSize = 4000
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
            async let originals: Void = restoreOriginals(reader, into: documents)
            // Losses are reported in a fixed order.
            if onLoss != nil { try await originals }
            let (assignments, done) = try await restoreEntries(reader, into: storage, progress)
            guard done == snapshot.stamp.entryCount || onLoss != nil else {
                throw BackupError(
                    .damaged,
                    "cannot restore snapshot \(snapshot.id.prefix(12)): it contains \(done) entries instead "
                        + "of \(snapshot.stamp.entryCount)", remedy: .verifyBackup)
            }
            try await originals
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
        try decoded("a list of entries", try await store.read(list, .list)) { data in
            let runs = try JSONDecoder().decode([RunRecord].self, from: data)
            guard runs.allSatisfy(\.isValid) else { throw BinaryReader.InvalidData() }
            return runs
        }
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

/// Reads the contents of one snapshot, and skips damaged parts if the caller allows it.
final class SnapshotReader: Sendable {
    let repository: BackupRepository
    let snapshot: BackupSnapshot
    let segments: SegmentStore
    private let onLoss: (@Sendable (BackupLoss) -> Void)?
    private let losses = Mutex(0)

    typealias Entries = (entries: [Entry], assignments: [Assignment])

    /// - Parameter onLoss: Called with the damaged parts, which are skipped; if it is `nil`, damage is an
    ///   error.
    init(
        _ repository: BackupRepository, _ snapshot: BackupSnapshot, _ segments: SegmentStore,
        onLoss: (@Sendable (BackupLoss) -> Void)?
    ) {
        (self.repository, self.snapshot, self.segments) = (repository, snapshot, segments)
        self.onLoss = onLoss
    }

    var isIncomplete: Bool { losses.withLock { $0 > 0 } }

    var allowsLosses: Bool { onLoss != nil }

    func report(_ loss: BackupLoss) {
        losses.withLock { $0 += 1 }
        onLoss?(loss)
    }

    /// Returns the result of `read`. If the data is damaged and losses are allowed, reports the loss and
    /// returns `nil`.
    ///
    /// - Parameter loss: The loss; `nil` if the caller reports it.
    func intact<Value>(
        orReport loss: BackupLoss? = nil, _ read: () async throws -> Value
    ) async throws -> Value? {
        do {
            return try await read()
        } catch let error where allowsLosses && BackupRepository.isDamage(error) {
            if let loss { report(loss) }
            return nil
        }
    }

    @concurrent
    func entries(of runs: [RunRecord]) async throws -> Entries {
        var all: Entries = ([], [])
        for run in runs {
            let read = try await entries(of: run)
            all.entries += read.entries
            all.assignments += read.assignments
        }
        return all
    }

    private func entries(of run: RunRecord) async throws -> Entries {
        let known = try await intact(orReport: .init(.entries, count: run.count)) { try await ids(of: run) }
        guard let ids = known else { return ([], []) }
        let texts = try await intact(orReport: .init(.entries, names: ids.map(\.text))) {
            try await value(run.entries, .entries) { try EntryCodec.decodeTexts($0, ids: ids) }
        }
        guard let texts else { return ([], []) }
        let complete = try await intact(orReport: .init(.vectors, names: ids.map(\.text))) {
            var entries = texts
            try await value(run.vectors, .vectors) { try EntryCodec.decodeVectors($0, into: &entries) }
            return entries
        }
        guard let segment = run.assignments else { return (complete ?? texts, []) }
        let assignments = try await intact(orReport: .init(.assignments, count: run.count)) {
            try await value(segment, .assignments) { try EntryCodec.decodeAssignments($0, ids: ids) }
        }
        return (complete ?? texts, assignments ?? [])
    }

    private func ids(of run: RunRecord) async throws -> [Entry.ID] {
        let ids = try await value(run.ids, .ids, EntryCodec.decodeIDs)
        guard ids.count == run.count else {
            throw BackupError(
                .damaged, "cannot read the backup: a run has \(ids.count) ids for \(run.count) entries",
                remedy: .verifyBackup)
        }
        return ids
    }

    // MARK: Everything except entries

    /// Returns the batch that restores everything except entries: sources, clusters, the clustering run and
    /// assignments.
    func rest(_ assignments: [Assignment]) async throws -> WriteBatch {
        var batch = WriteBatch()
        for id in snapshot.sources {
            batch.sources += try await intact { try await value(id, .sources, json) } ?? []
        }
        if allowsLosses, batch.sources.count < snapshot.sourceCount {
            report(.init(.sources, count: snapshot.sourceCount - batch.sources.count))
        }
        var clusters: [Cluster] = []
        for id in snapshot.clusters {
            clusters += try await intact { try await value(id, .clusters, json) } ?? []
        }
        var run: ClusteringRun?
        if let id = snapshot.run {
            run = try await intact(orReport: .init(.run)) { try await value(id, .run, json) }
        }
        var assignments = assignments
        if allowsLosses { removeMissing(&clusters, &assignments) }
        if run != nil || !clusters.isEmpty || !assignments.isEmpty {
            batch.clustering = .init(run: run, clusters: clusters, assignments: assignments)
        }
        return batch
    }

    private func value<Value>(
        _ id: SegmentID, _ kind: SegmentKind, _ decode: (Data) throws -> Value
    ) async throws -> Value {
        try repository.decoded("\(kind)", try await segments.read(id, kind), decode)
    }

    private func json<Value: Decodable>(_ data: Data) throws -> Value {
        try JSONDecoder().decode(Value.self, from: data)
    }

    /// Removes references to clusters that could not be restored, and reports these clusters.
    private func removeMissing(_ clusters: inout [Cluster], _ assignments: inout [Assignment]) {
        let known = Set(clusters.map(\.id))
        var missing = Set(assignments.compactMap(\.cluster)).subtracting(known)
        missing.formUnion(clusters.compactMap(\.parent).filter { !known.contains($0) })
        assignments.removeAll { $0.cluster.map { !known.contains($0) } ?? false }
        for index in clusters.indices where clusters[index].parent.map({ !known.contains($0) }) == true {
            clusters[index].parent = nil
        }
        if !missing.isEmpty { report(.init(.clusters, names: missing.sorted().map(\.text))) }
        let unknown = snapshot.stamp.clusterCount - clusters.count - missing.count
        if unknown > 0 { report(.init(.clusters, count: unknown)) }
    }
}

/// Segments of a snapshot that are needed for the same data.
struct SegmentGroup {
    var segments: [(id: SegmentID, kind: SegmentKind)]
    var entryCount = 0
    var documentCount = 0
}

extension BackupRepository {
    /// Calls `body` with the segments of a snapshot. A list is passed before it is read.
    ///
    /// - Parameter isUnreadable: Called with the error of a list that cannot be read, which is then skipped
    ///   if the result is `true`.
    func forEachGroup(
        of snapshot: BackupSnapshot, _ store: SegmentStore, isUnreadable: (SegmentID, any Error) -> Bool,
        _ body: (SegmentGroup) throws -> Void
    ) async throws {
        func elements<Element>(
            of list: SegmentID, _ kind: SegmentKind, _ read: () async throws -> [Element]
        ) async throws -> [Element] {
            try body(SegmentGroup(segments: [(list, kind)]))
            do {
                return try await read()
            } catch  where isUnreadable(list, error) {
                return []
            }
        }
        for id in snapshot.sources { try body(SegmentGroup(segments: [(id, .sources)])) }
        for id in snapshot.clusters { try body(SegmentGroup(segments: [(id, .clusters)])) }
        if let run = snapshot.run { try body(SegmentGroup(segments: [(run, .run)])) }
        for list in snapshot.originals {
            for record in try await elements(of: list, .originals, { try await originals(of: list, store) }) {
                try body(SegmentGroup(segments: record.parts.map { ($0, .original) }, documentCount: 1))
            }
        }
        for list in snapshot.lists {
            for run in try await elements(of: list, .list, { try await runs(of: list, store) }) {
                try body(SegmentGroup(segments: run.all, entryCount: run.count))
            }
        }
    }
}
