import Foundation
public import RoostChunks
public import RoostModel

/// What a backup wrote.
public struct BackupReport: Sendable {
    public var snapshot: BackupSnapshot
    /// Bytes of packs, index and snapshot.
    public var writtenBytes: Int
    /// Segments that were not there before, of all that the snapshot has.
    public var newSegments: Int
    public var segments: Int
    /// The digests of kept documents that could not be read as they were written: they are not in the
    /// snapshot.
    public var damagedDocuments: [String] = []
}

extension BackupRepository {
    private static let pageSizes = 16...4096
    private static let pageBytes = 8 << 20

    /// Makes a snapshot of one revision of a store.
    ///
    /// Writers of the store go on meanwhile. Only what no snapshot has yet is written. Killed or cancelled,
    /// it leaves no snapshot, and what it wrote goes with the next prune.
    /// - Parameters:
    ///   - attributes: what is to be had back with it.
    ///   - documents: has the sources' documents under their SHA-256, where they are kept
    ///     (``Source/documentDigest``). Nothing that the snapshot names may go from it meanwhile.
    ///   - progress: told now and then how many entries have been read, and how many there are.
    /// - Throws: ``BackupError`` with `.locked`; ``StorageError``; ``ChunkStorageError``;
    ///   `CancellationError`.
    @concurrent
    public func create(
        of snapshot: any StorageSnapshot, tags: [String] = [], attributes: [String: String] = [:],
        documents: (any ChunkStorage)? = nil, progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> BackupReport {
        try await RepositoryLock.with(exclusive: false, retrieval) { lock in
            let store = try await segments()
            let parent = try await readableSnapshots().last { $0.stamp.store == snapshot.stamp.store }
            let bases = try await bases(parent, store)
            let writer = SegmentWriter(store: store, packs: PackWriter(retrieval, store), bases: bases)
            var result = BackupSnapshot(
                id: "", created: Date(milliseconds: Date().milliseconds), tags: tags, stamp: snapshot.stamp,
                attributes: attributes, sourceCount: 0, lists: [], sources: [], clusters: [])
            let assignments = Dictionary(
                try await snapshot.assignments(of: nil).map { ($0.entry, $0) }
            ) { first, _ in first }
            result.lists = try await lists(of: snapshot, assignments, writer, progress)
            let known = try await knownSources(parent, store)
            let damaged = try await writeSources(
                try await snapshot.sources(), documents, known, writer, into: &result)
            let clusters = try await snapshot.clusterRecords()
            for start in stride(from: 0, to: clusters.count, by: 64) {
                let part = Array(clusters[start..<min(clusters.count, start + 64)])
                result.clusters.append(try await writer.write(try RecordCodec.encode(part), .clusters))
            }
            if let run = try await snapshot.clusteringRun() {
                result.run = try await writer.write(try RecordCodec.encode(run), .run)
            }
            var report = try await finish(result, writer, lock)
            report.damagedDocuments = damaged
            return report
        }
    }

    /// Data, then the index, then the snapshot: at any moment every snapshot is whole.
    private func finish(
        _ snapshot: BackupSnapshot, _ writer: SegmentWriter, _ lock: RepositoryLock
    ) async throws -> BackupReport {
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
        try await lock.requireHeld()
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
    private func bases(
        _ parent: BackupSnapshot?, _ store: SegmentStore
    ) async throws -> [SegmentID: RunRecord] {
        var bases: [SegmentID: RunRecord] = [:]
        for list in parent?.lists ?? [] {
            // What cannot be read is written anew.
            guard let runs = try? await runs(of: list, store) else { continue }
            for run in runs { bases[run.ids] = run }
        }
        return bases
    }

    /// All entries, page by page.
    private func lists(
        of snapshot: any StorageSnapshot, _ assignments: [Entry.ID: Assignment], _ writer: SegmentWriter,
        _ progress: @Sendable (Int, Int) -> Void
    ) async throws -> [SegmentID] {
        var lists = ListWriter(writer: writer)
        var (cutter, done) = (RunCutter(), 0)
        func page(after row: UInt32?, _ size: Int) async throws -> EntryPage {
            try await snapshot.entries(after: row, limit: size, matching: .all)
        }
        var next: EntryPage? = try await page(after: nil, Self.pageSizes.lowerBound)
        while let current = next {
            try Task.checkCancellation()
            let size = Self.pageSize(after: current.entries)
            var runs = current.entries.compactMap { cutter.add($0) }
            if current.next == nil, let rest = cutter.rest() { runs.append(rest) }
            // The store is read while segments are made.
            async let following = current.next == nil ? nil : page(after: current.next, size)
            for record in try await writer.write(runs, assignments) { try await lists.add(record) }
            done += current.entries.count
            progress(done, snapshot.stamp.entryCount)
            next = try await following
        }
        return try await lists.finish()
    }

    /// So many entries that a page has some megabytes, if they are like those before.
    private static func pageSize(after entries: [Entry]) -> Int {
        let bytes = entries.reduce(1) { sum, entry in
            sum + entry.content.utf8.count + 4 * entry.embeddings.count
                + entry.passages.reduce(0) { $0 + 4 * $1.vector.count }
        }
        return min(
            pageSizes.upperBound, max(pageSizes.lowerBound, pageBytes / (bytes / max(1, entries.count) + 1)))
    }
}
