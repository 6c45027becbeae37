import Foundation
import RoostFiles
public import RoostModel
import Synchronization

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
                    let part = clusters[start..<end].map { cluster in
                        var cluster = cluster
                        cluster.members = []
                        return cluster
                    }
                    result.clusters.append(try await writer.write(json: part, .clusters))
                }
                if let run = try await snapshot.clusteringRun() {
                    result.run = try await writer.write(json: run, .run)
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

    private func lists(
        of snapshot: any StorageSnapshot, _ assignments: [Entry.ID: Assignment], _ writer: SegmentWriter,
        _ progress: @Sendable (Int, Int) -> Void
    ) async throws -> [SegmentID] {
        var (cutter, records, done) = (RunCutter(), [RunRecord](), 0)
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
            records += try await runs.concurrentMap(limit: SegmentWriter.concurrency) { run in
                try await writer.write(run, run.map { assignments[$0.id] })
            }
            done += current.entries.count
            progress(done, snapshot.stamp.entryCount)
            next = try await following
        }
        var lists: [SegmentID] = []
        for list in records.divided({ RunBoundaries.endsList(after: $0, count: $1) }) {
            lists.append(try await writer.write(json: list, .list))
        }
        return lists
    }

    /// Returns the number of entries to read next, so that a page takes up about ``pageBytes`` if its entries
    /// are as large as those of the previous page.
    static func pageSize(after entries: [Entry]) -> Int {
        let bytes = entries.reduce(1) { sum, entry in
            sum + entry.content.utf8.count + (entry.structure?.approximateSize ?? 0)
                + 4 * entry.embeddings.count + entry.passages.reduce(0) { $0 + 4 * $1.vector.count }
        }
        return min(
            pageSizes.upperBound, max(pageSizes.lowerBound, pageBytes / (bytes / max(1, entries.count) + 1)))
    }
}

extension BackupRepository {
    /// Returns the documents of the store's newest snapshot whose parts are all in the repository, keyed by
    /// their digests. They need not be read again.
    func knownOriginals(
        _ parent: BackupSnapshot?, _ store: SegmentStore
    ) async throws -> [SegmentID: OriginalRecord] {
        var known: [SegmentID: OriginalRecord] = [:]
        for list in parent?.originals ?? [] {
            // If a list cannot be read, its documents are read from the document storage again.
            for record in (try? await originals(of: list, store)) ?? []
            where record.parts.allSatisfy({ store.location(of: $0)?.kind == .original }) {
                known[record.digest] = record
            }
        }
        return known
    }

    /// - Returns: The digests of corrupt files, which are skipped.
    func writeSources(
        _ sources: [Source], _ documents: (any ChunkStorage)?, _ known: [SegmentID: OriginalRecord],
        _ writer: SegmentWriter, into snapshot: inout BackupSnapshot
    ) async throws -> [String] {
        let damaged = Mutex<Set<String>>([])
        snapshot.sourceCount = sources.count
        var counted = Set<SegmentID>()
        var lists: [SegmentID] = []
        for run in SourceRuns.cut(sources) {
            try Task.checkCancellation()
            snapshot.sources.append(try await writer.write(json: run, .sources))
            guard let documents else { continue }
            let digests = run.compactMap(\.documentDigest).compactMap { SegmentID(hexadecimal: $0) }
            let records = try await digests.concurrentMap(limit: SegmentWriter.concurrency) { digest in
                do {
                    return try await self.write(digest, documents, known, writer)
                } catch let error as ChunkStorageError where error.isDamage {
                    // A corrupt file must not prevent the backup of everything else.
                    _ = damaged.withLock { $0.insert(digest.description) }
                    return nil
                }
            }.compactMap(\.self)
            for record in records where counted.insert(record.digest).inserted {
                snapshot.originalCount += 1
                snapshot.originalBytes += record.size
            }
            if !records.isEmpty {
                lists.append(try await writer.write(json: records, .originals))
            }
        }
        snapshot.originals = lists
        return damaged.withLock { $0.sorted() }
    }

    /// - Returns: `nil` if the document storage does not have the document.
    private func write(
        _ digest: SegmentID, _ documents: any ChunkStorage, _ known: [SegmentID: OriginalRecord],
        _ writer: SegmentWriter
    ) async throws -> OriginalRecord? {
        if let record = known[digest] { return record }
        guard let data = try await documents.readChunk(ChunkIdentifier(id: digest.description)) else {
            return nil
        }
        var record = OriginalRecord(digest: digest, size: data.count, parts: [])
        for start in stride(from: 0, to: max(1, data.count), by: OriginalRecord.maximumPartSize) {
            let part = data.dropFirst(start).prefix(OriginalRecord.maximumPartSize)
            record.parts.append(try await writer.write(Data(part), .original))
        }
        return record
    }

    func originals(of list: SegmentID, _ store: SegmentStore) async throws -> [OriginalRecord] {
        try decoded("a list of original files", try await store.read(list, .originals)) { data in
            let records = try JSONDecoder().decode([OriginalRecord].self, from: data)
            guard records.allSatisfy(\.isValid) else { throw BinaryReader.InvalidData() }
            return records
        }
    }

    func restoreOriginals(_ reader: SnapshotReader, into documents: (any ChunkStorage)?) async throws {
        guard let documents else { return }
        let store = reader.segments
        var done = Set<SegmentID>()
        for list in reader.snapshot.originals {
            try Task.checkCancellation()
            let all = try await reader.intact(orReport: .init(.originalLists)) {
                try await originals(of: list, store)
            }
            let records = (all ?? []).filter { done.insert($0.digest).inserted }
            _ = try await records.concurrentMap(limit: Self.maximumConcurrentDocuments) { record in
                let loss = BackupLoss(.originals, names: [record.digest.description])
                _ = try await reader.intact(orReport: loss) {
                    try await self.restore(record, into: documents, store)
                }
            }
        }
    }

    /// The maximum number of documents that are restored at the same time. Each document is held in memory as
    /// a whole.
    private static let maximumConcurrentDocuments = 4

    @concurrent
    private func restore(
        _ record: OriginalRecord, into documents: any ChunkStorage, _ store: SegmentStore
    ) async throws {
        var data = Data()
        for part in record.parts {
            data += try await store.read(part, .original)
            // A maliciously altered list could refer to one part many times and exhaust the memory.
            guard data.count <= record.size else { break }
        }
        guard SegmentID(SHA256.hash(data)) == record.digest else {
            throw BackupError(
                .damaged,
                "cannot restore original file \(record.digest): its digest does not match",
                remedy: .verifyBackup)
        }
        try await documents.writeChunk(
            data, identifier: ChunkIdentifier(id: record.digest.description), metadata: nil)
    }
}
