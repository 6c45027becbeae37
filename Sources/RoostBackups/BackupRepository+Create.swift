import Foundation
import RoostChunks
public import RoostModel

/// What a backup wrote.
public struct BackupReport: Sendable {
    public var snapshot: BackupSnapshot
    /// Bytes of packs, index and snapshot.
    public var writtenBytes: Int
    /// Segments that were not there before, of all that the snapshot has.
    public var newSegments: Int
    public var segments: Int
}

extension BackupRepository {
    /// How many runs of entries are made at a time.
    private static let concurrency = 4
    private static let pageSize = 2048

    /// Makes a snapshot of one revision of a store.
    ///
    /// Writers of the store go on meanwhile. Only what no snapshot has yet is written. Killed or cancelled,
    /// it leaves no snapshot, and what it wrote goes with the next prune.
    /// - Parameters:
    ///   - attributes: what is to be had back with it.
    ///   - progress: told now and then how many entries have been read, and how many there are.
    /// - Throws: ``BackupError`` with `.locked`; ``StorageError``; ``ChunkStorageError``;
    ///   `CancellationError`.
    @concurrent
    public func create(
        of snapshot: any StorageSnapshot, tags: [String] = [], attributes: [String: String] = [:],
        progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> BackupReport {
        try await RepositoryLock.with(exclusive: false, retrieval) {
            let store = try await segments()
            let writer = SegmentWriter(
                store: store, packs: PackWriter(retrieval, store),
                bases: try await bases(for: snapshot.stamp.store, store))
            var result = BackupSnapshot(
                id: "", created: Date(milliseconds: Date().milliseconds), tags: tags, stamp: snapshot.stamp,
                attributes: attributes, sourceCount: 0, lists: [], sources: [], clusters: [])
            result.lists = try await lists(of: snapshot, writer, progress)
            let sources = try await snapshot.sources()
            result.sourceCount = sources.count
            for start in stride(from: 0, to: sources.count, by: 1024) {
                let part = Array(sources[start..<min(sources.count, start + 1024)])
                result.sources.append(try await writer.write(try RecordCodec.encode(part), .sources))
            }
            let clusters = try await snapshot.clusterRecords()
            for start in stride(from: 0, to: clusters.count, by: 64) {
                let part = Array(clusters[start..<min(clusters.count, start + 64)])
                result.clusters.append(try await writer.write(try RecordCodec.encode(part), .clusters))
            }
            if let run = try await snapshot.clusteringRun() {
                result.run = try await writer.write(try RecordCodec.encode(run), .run)
            }
            return try await finish(result, writer)
        }
    }

    /// Data, then the index, then the snapshot: at any moment every snapshot is whole.
    private func finish(_ snapshot: BackupSnapshot, _ writer: SegmentWriter) async throws -> BackupReport {
        try await writer.packs.finish()
        var written = await writer.packs.writtenBytes
        let packs = await writer.packs.packs
        if !packs.isEmpty {
            let path = try await writeIndex(packs)
            written += try await retrieval.readChunk(at: path)?.count ?? 0
        }
        try Task.checkCancellation()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(snapshot)
        let name = naming.name(of: data)
        try await retrieval.writeChunk(data, at: RepositoryObject.snapshot(name), metadata: nil)
        var snapshot = snapshot
        snapshot.id = name
        let count = await writer.counts
        return BackupReport(
            snapshot: snapshot, writtenBytes: written + data.count, newSegments: count.new,
            segments: count.all)
    }

    /// The runs of the newest snapshot of a store, by the ids of their entries: what is new of a run is
    /// written relative to them.
    private func bases(for storeID: UUID, _ store: SegmentStore) async throws -> [SegmentID: RunRecord] {
        var bases: [SegmentID: RunRecord] = [:]
        guard let last = try await snapshots().last(where: { $0.stamp.store == storeID }) else {
            return bases
        }
        for list in last.lists {
            // What cannot be read is written anew.
            guard let data = try? await store.read(list, .list), let runs = try? RunListCodec.decode(data)
            else { continue }
            for run in runs { bases[run.ids] = run }
        }
        return bases
    }

    private func lists(
        of snapshot: any StorageSnapshot, _ writer: SegmentWriter, _ progress: @Sendable (Int, Int) -> Void
    ) async throws -> [SegmentID] {
        var lists: [SegmentID] = []
        var records: [RunRecord] = []
        func add(_ record: RunRecord) async throws {
            records.append(record)
            if RunBoundaries.endsList(after: record, count: records.count) {
                lists.append(try await writer.write(RunListCodec.encode(records), .list))
                records = []
            }
        }
        var (pending, bytes, done) = ([Entry](), 0, 0)
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.entries(after: row, limit: Self.pageSize, matching: .all)
            var runs: [[Entry]] = []
            for entry in page.entries {
                pending.append(entry)
                bytes += entry.content.utf8.count
                if RunBoundaries.endsRun(after: entry.id, count: pending.count, bytes: bytes) {
                    runs.append(pending)
                    (pending, bytes) = ([], 0)
                }
            }
            row = page.next
            if row == nil, !pending.isEmpty { runs.append(pending) }
            for record in try await write(runs, snapshot, writer) { try await add(record) }
            done += page.entries.count
            progress(done, snapshot.stamp.entryCount)
        } while row != nil
        if !records.isEmpty { lists.append(try await writer.write(RunListCodec.encode(records), .list)) }
        return lists
    }

    private func write(
        _ runs: [[Entry]], _ snapshot: any StorageSnapshot, _ writer: SegmentWriter
    ) async throws -> [RunRecord] {
        let assignments = Dictionary(
            try await snapshot.assignments(of: runs.flatMap { $0.map(\.id) }).map { ($0.entry, $0) }
        ) { first, _ in first }
        return try await withThrowingTaskGroup(of: (Int, RunRecord).self) { group in
            var records = [RunRecord?](repeating: nil, count: runs.count)
            var next = 0
            func addNext() {
                guard next < runs.count else { return }
                let (place, run) = (next, runs[next])
                next += 1
                group.addTask { (place, try await writer.write(run, run.map { assignments[$0.id] })) }
            }
            for _ in 0..<Self.concurrency { addNext() }
            while let (place, record) = try await group.next() {
                records[place] = record
                addNext()
            }
            return records.compactMap(\.self)
        }
    }
}

/// Makes segments of values and writes those that are not there.
private actor SegmentWriter {
    nonisolated let store: SegmentStore
    nonisolated let packs: PackWriter
    nonisolated private let bases: [SegmentID: RunRecord]
    private(set) var counts = (new: 0, all: 0)

    init(store: SegmentStore, packs: PackWriter, bases: [SegmentID: RunRecord]) {
        (self.store, self.packs, self.bases) = (store, packs, bases)
    }

    @concurrent
    nonisolated func write(_ entries: [Entry], _ assignments: [Assignment?]) async throws -> RunRecord {
        let ids = try await write(EntryCodec.encodeIDs(entries), .ids)
        let base = bases[ids]
        let texts = try await write(try EntryCodec.encodeTexts(entries), .entries, relativeTo: base?.entries)
        let vectors = try await write(EntryCodec.encodeVectors(entries), .vectors, relativeTo: base?.vectors)
        let isPlaced = assignments.contains { $0 != nil }
        let places =
            isPlaced
            ? try await write(
                EntryCodec.encodeAssignments(assignments), .assignments, relativeTo: base?.assignments) : nil
        return RunRecord(
            ids: ids, entries: texts, vectors: vectors, assignments: places, count: entries.count)
    }

    /// - Parameter base: a segment of before in whose place this one is.
    @concurrent
    nonisolated func write(
        _ data: Data, _ kind: SegmentKind, relativeTo base: SegmentID? = nil
    ) async throws -> SegmentID {
        let id = store.naming.id(of: data, kind)
        let isNew = await packs.claim(id)
        await count(isNew)
        guard isNew else { return id }
        var location = SegmentLocation(
            kind: kind, form: .plain, offset: 0, storedSize: 0, size: data.count, base: nil)
        var stored = data
        if let smaller = try ZstdCodec.compress(data, level: kind == .vectors ? 1 : 3) {
            (stored, location.form) = (smaller, .compressed)
        }
        // Relative to one that stands by itself, so that no chain grows; only where that helps much, since
        // it keeps the other one alive.
        if let base, let known = store.location(of: base) {
            let root = known.base ?? base
            if let prefix = try? await store.read(root, kind),
                let smaller = try ZstdCodec.compress(data, level: 3, prefix: prefix),
                2 * smaller.count < stored.count
            {
                (stored, location.form, location.base) = (smaller, .relative, root)
            }
        }
        location.storedSize = stored.count
        try await packs.add(id, location, stored)
        return id
    }

    private func count(_ isNew: Bool) {
        counts.all += 1
        if isNew { counts.new += 1 }
    }
}
