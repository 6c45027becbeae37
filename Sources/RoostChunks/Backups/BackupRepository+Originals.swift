import Foundation
import RoostFiles
import RoostModel
import Synchronization

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
            snapshot.sources.append(try await writer.write(try RecordCodec.encode(run), .sources))
            guard let documents else { continue }
            let digests = run.compactMap(\.documentDigest).compactMap { SegmentID(hexadecimal: $0) }
            let records = try await writer.inOrder(digests) { digest in
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
                lists.append(try await writer.write(OriginalListCodec.encode(records), .originals))
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
        let data = try await store.read(list, .originals)
        guard let records = try? OriginalListCodec.decode(data) else {
            throw BackupError(
                .damaged, "cannot read a list of original files in the backup: it is corrupt",
                remedy: .verifyBackup)
        }
        return records
    }

    func restoreOriginals(_ reader: SnapshotReader, into documents: any ChunkStorage) async throws {
        let store = reader.segments
        var done = Set<SegmentID>()
        for list in reader.snapshot.originals {
            try Task.checkCancellation()
            let all = try await reader.intact(orReport: .init(.originalLists)) {
                try await originals(of: list, store)
            }
            let records = (all ?? []).filter { done.insert($0.digest).inserted }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, record) in records.enumerated() {
                    if number >= Self.maximumConcurrentDocuments { try await group.next() }
                    group.addTask {
                        let loss = BackupLoss(.originals, names: [record.digest.description])
                        _ = try await reader.intact(orReport: loss) {
                            try await self.restore(record, into: documents, store)
                        }
                    }
                }
                try await group.waitForAll()
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
