import Crypto
import Foundation
import RoostChunks
import RoostModel
import Synchronization

/// Source records, and the documents that they are of.
extension BackupRepository {
    /// What the last snapshot of a store says of its sources: what is new is written relative to it, and what
    /// is known is not read again.
    struct KnownSources: Sendable {
        var segments: [UInt64: SegmentID] = [:]
        var originals: [UInt64: SegmentID] = [:]
        var records: [SegmentID: OriginalRecord] = [:]
    }

    func knownSources(_ parent: BackupSnapshot?, _ store: SegmentStore) async throws -> KnownSources {
        var known = KnownSources()
        guard let parent else { return known }
        for (place, bound) in parent.sourceBounds.enumerated() where place < parent.sources.count {
            known.segments[bound] = parent.sources[place]
            guard place < parent.originals.count else { continue }
            let id = parent.originals[place]
            known.originals[bound] = id
            // What cannot be read is read from the store again.
            guard let records = try? OriginalListCodec.decode(try await store.read(id, .originals))
            else { continue }
            for record in records
            where record.pieces.allSatisfy({ store.location(of: $0)?.kind == .original }) {
                known.records[record.digest] = record
            }
        }
        return known
    }

    /// Writes the source records of a snapshot, and the documents that are kept of them.
    ///
    /// - Returns: the documents that are not as they were written, and were left out.
    func writeSources(
        _ sources: [Source], _ documents: (any ChunkStorage)?, _ known: KnownSources,
        _ writer: SegmentWriter, into snapshot: inout BackupSnapshot
    ) async throws -> [String] {
        let damaged = Mutex<Set<String>>([])
        snapshot.sourceCount = sources.count
        let runs = SourceRuns.cut(sources)
        var counted = Set<SegmentID>()
        var lists: [SegmentID] = []
        for run in runs {
            try Task.checkCancellation()
            snapshot.sourceBounds.append(run.bound)
            snapshot.sources.append(
                try await writer.write(
                    try RecordCodec.encode(run.sources), .sources, relativeTo: known.segments[run.bound]))
            guard let documents else { continue }
            let digests = run.sources.compactMap(\.documentDigest).compactMap { SegmentID(hexadecimal: $0) }
            let records = try await writer.inOrder(digests) { digest in
                do {
                    return try await self.write(digest, documents, known, writer)
                } catch let error as ChunkStorageError where error.isDamage {
                    // One document less is better than no backup.
                    _ = damaged.withLock { $0.insert(digest.description) }
                    return nil
                }
            }.compactMap(\.self)
            for record in records where counted.insert(record.digest).inserted {
                snapshot.originalCount += 1
                snapshot.originalBytes += record.size
            }
            lists.append(
                try await writer.write(
                    OriginalListCodec.encode(records), .originals, relativeTo: known.originals[run.bound]))
        }
        if snapshot.originalCount > 0 { snapshot.originals = lists }
        return damaged.withLock { $0.sorted() }
    }

    /// - Returns: `nil` for a document that is not kept.
    private func write(
        _ digest: SegmentID, _ documents: any ChunkStorage, _ known: KnownSources, _ writer: SegmentWriter
    ) async throws -> OriginalRecord? {
        if let record = known.records[digest] { return record }
        guard let data = try await documents.readChunk(ChunkIdentifier(id: digest.description)) else {
            return nil
        }
        var record = OriginalRecord(digest: digest, size: data.count, pieces: [])
        for start in stride(from: 0, to: max(1, data.count), by: OriginalRecord.pieceSize) {
            let piece = data.dropFirst(start).prefix(OriginalRecord.pieceSize)
            record.pieces.append(try await writer.write(Data(piece), .original))
        }
        return record
    }

    /// The records of a list of documents.
    func originals(of list: SegmentID, _ store: SegmentStore) async throws -> [OriginalRecord] {
        let data = try await store.read(list, .originals)
        guard let records = try? OriginalListCodec.decode(data) else {
            throw BackupError(.damaged, "a list of documents of the backup cannot be read")
        }
        return records
    }

    /// Writes the documents of a snapshot to where they are kept.
    ///
    /// - Parameter onDamage: told of a document that is damaged, which is left out then; `nil` throws.
    func restoreOriginals(
        of snapshot: BackupSnapshot, into documents: any ChunkStorage, _ store: SegmentStore,
        onDamage: (@Sendable (String) -> Void)?
    ) async throws {
        var done = Set<SegmentID>()
        for list in snapshot.originals {
            try Task.checkCancellation()
            let records = try await originals(of: list, store).filter { done.insert($0.digest).inserted }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, record) in records.enumerated() {
                    if number >= Self.documentsAtOnce { try await group.next() }
                    group.addTask {
                        do {
                            try await self.restore(record, into: documents, store)
                        } catch let error where onDamage != nil && Self.isDamage(error) {
                            onDamage?(record.digest.description)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static let documentsAtOnce = 4

    private static func isDamage(_ error: any Error) -> Bool {
        (error as? BackupError)?.code == .damaged || (error as? ChunkStorageError)?.isDamage == true
    }

    @concurrent
    private func restore(
        _ record: OriginalRecord, into documents: any ChunkStorage, _ store: SegmentStore
    ) async throws {
        var data = Data()
        for piece in record.pieces {
            data += try await store.read(piece, .original)
            // A false list may name one piece a million times.
            guard data.count <= record.size else { break }
        }
        guard SegmentID(SHA256.hash(data: data)) == record.digest else {
            throw BackupError(
                .damaged, "a document of the backup is not what its name says: \(record.digest)")
        }
        try await documents.writeChunk(
            data, identifier: ChunkIdentifier(id: record.digest.description), metadata: nil)
    }
}
