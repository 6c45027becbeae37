import Foundation
public import RoostModel

extension BackupRepository {
    private static let pageSizes = 16...4096
    private static let pageBytes = 8 << 20
    private static let clustersPerSegment = 64

    /// Creates a snapshot of one revision of a store.
    ///
    /// Other processes can write to the store at the same time. Only segments that the repository does not
    /// have are written.
    ///
    /// - **Atomicity**: The snapshot appears with the last write. If the process is killed or the task
    ///   canceled before that, no snapshot is created, and the next prune removes what was written.
    /// - Parameters:
    ///   - snapshot: The revision of the store.
    ///   - tags: Labels of the snapshot, which ``BackupRetention`` can refer to.
    ///   - attributes: Values to store with the snapshot.
    ///   - documents: The storage that contains the sources' original files under their SHA-256 digests
    ///     (`Source/documentDigest`). No document of the revision may be deleted from it during the call.
    ///   - progress: Called repeatedly with the number of entries that have been read and the total number of
    ///     entries.
    /// - Returns: The snapshot, and the amount of data that was written.
    /// - Throws: ``BackupError`` with `.locked` if another process is pruning the repository; `StorageError`
    ///   or `ChunkStorageError` if reading or writing fails; `CancellationError`.
    @concurrent
    public func create(
        of snapshot: any StorageSnapshot, tags: [String] = [], attributes: [String: String] = [:],
        documents: (any ChunkStorage)? = nil, progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> BackupReport {
        try await RepositoryLock.with(exclusive: false, retrieval) { lock in
            let store = try await segments()
            return try await PackWriter.with(retrieval, store) { packs in
                let (empty, parent) = try await newSnapshot(of: snapshot, tags, attributes)
                var result = empty
                let writer = SegmentWriter(store: store, packs: packs)
                let assignments = Dictionary(
                    try await snapshot.assignments(of: nil).map { ($0.entry, $0) }
                ) { first, _ in first }
                result.lists = try await lists(of: snapshot, assignments, writer, progress)
                let known = try await knownOriginals(parent, store)
                let damaged = try await writeSources(
                    try await snapshot.sources(), documents, known, writer, into: &result)
                let clusters = try await snapshot.clusterRecords()
                for start in stride(from: 0, to: clusters.count, by: Self.clustersPerSegment) {
                    let end = min(clusters.count, start + Self.clustersPerSegment)
                    let part = Array(clusters[start..<end])
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
    }

    /// Returns a snapshot of a revision without its data, and the store's newest snapshot in the repository.
    private func newSnapshot(
        of snapshot: any StorageSnapshot, _ tags: [String], _ attributes: [String: String]
    ) async throws -> (BackupSnapshot, parent: BackupSnapshot?) {
        let earlier = try await snapshotList().snapshots.filter { $0.stamp.store == snapshot.stamp.store }
        var result = BackupSnapshot(
            created: Date(milliseconds: Date().milliseconds), tags: tags, stamp: snapshot.stamp,
            attributes: attributes, sourceCount: 0, lists: [], sources: [], clusters: [])
        // A manipulated snapshot must not make the number overflow.
        result.sequence = min(earlier.map(\.sequence).max() ?? 0, 1 << 52) + 1
        return (result, earlier.last)
    }

    /// Writes the remaining packs, then the index, then the snapshot. Because of this order, every snapshot
    /// in the repository is complete at all times.
    private func finish(
        _ snapshot: BackupSnapshot, _ writer: SegmentWriter, _ lock: RepositoryLock
    ) async throws -> BackupReport {
        try await writer.packs.finish()
        var written = await writer.packs.writtenBytes
        let packs = await writer.packs.packs
        if !packs.isEmpty { written += try await writeIndex(packs).size }
        try Task.checkCancellation()
        let data = try snapshot.encoded()
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

    /// Writes all entries, page by page, and returns the lists of their runs.
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
            // The next page is read while this page is encoded and written.
            async let following = current.next == nil ? nil : page(after: current.next, size)
            for record in try await writer.write(runs, assignments) { try await lists.add(record) }
            done += current.entries.count
            progress(done, snapshot.stamp.entryCount)
            next = try await following
        }
        return try await lists.finish()
    }

    /// Returns the number of entries to read next, so that a page takes up about ``pageBytes`` if its entries
    /// are as large as those of the previous page.
    private static func pageSize(after entries: [Entry]) -> Int {
        let bytes = entries.reduce(1) { sum, entry in
            sum + entry.content.utf8.count + 4 * entry.embeddings.count
                + entry.passages.reduce(0) { $0 + 4 * $1.vector.count }
        }
        return min(
            pageSizes.upperBound, max(pageSizes.lowerBound, pageBytes / (bytes / max(1, entries.count) + 1)))
    }
}
