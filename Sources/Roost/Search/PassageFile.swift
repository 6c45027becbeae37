import Foundation
import RoostFiles
import RoostIndexes
import RoostModel
import RoostVectors

/// The vectors of all passages in a file of their own, `index/passages`: derived from the storage, read where
/// they lie. Says which state of which store it was made of, and is used for nothing else.
struct PassageFile: Sendable {
    /// What the file says of itself.
    struct Metadata: Codable, Sendable, Hashable {
        var format = 1
        var store: UUID
        var epoch: UUID
        var revision: Revision
        /// Passages.
        var count: Int
        var dimension: Int
        /// When it was made, in milliseconds.
        var createdAt: Int64

        /// What has changed since follows it.
        var cursor: ChangeCursor {
            ChangeCursor(epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
        }
    }

    let metadata: Metadata
    let vectors: VectorRows
    let rows: PassageRows
    let size: Int
    private let directory: URL

    static func url(_ directory: URL) -> URL {
        directory.appendingPathComponent("index").appendingPathComponent("passages")
    }

    /// Opens the file of a store.
    ///
    /// - Parameters:
    ///   - stamp: the state that the store is in now.
    ///   - verifying: whether the vectors are compared with their checksum too, which reads all of them.
    /// - Returns: `nil` where there is none, or it is of another history of the store.
    /// - Throws: ``SectionFile/Unusable`` where it is damaged.
    init?(in directory: URL, for stamp: Stamp, verifying: Bool = true) throws {
        let url = Self.url(directory)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let file = try SectionFile(url)
        guard let metadata = try? JSONDecoder().decode(Metadata.self, from: file.metadata) else {
            throw SectionFile.Unusable(description: "\(url.path) is of another version")
        }
        guard metadata.format == 1, metadata.store == stamp.store, metadata.epoch == stamp.epoch,
            metadata.revision <= stamp.revision
        else { return nil }
        guard metadata.count >= 0, (1...1 << 16).contains(metadata.dimension), metadata.count < 1 << 32 else {
            throw SectionFile.Unusable(description: "\(url.path) is not as it was written")
        }
        self.metadata = metadata
        self.directory = directory
        size = file.size
        rows = try PassageRows(file, count: metadata.count)
        if verifying { try file.verify("vectors") }
        vectors = try VectorRows(
            file, section: "vectors", count: metadata.count, dimension: metadata.dimension)
    }

    static func graphURL(_ directory: URL) -> URL {
        directory.appendingPathComponent("index").appendingPathComponent("graph")
    }

    /// What the graph of these vectors, and of no others, is written with.
    private var description: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? encoder.encode(metadata)) ?? Data()
    }

    /// The graph over the vectors; `nil` where there is none of them.
    ///
    /// - Throws: ``SectionFile/Unusable`` where it is damaged.
    func graph() throws -> GraphIndex? {
        let url = Self.graphURL(directory)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try GraphIndex(url, of: vectors, described: description)
    }

    /// Builds the graph over the vectors and writes it.
    ///
    /// - Throws: ``StorageError``; `CancellationError`.
    func buildGraph() async throws {
        let index = try await GraphIndex(building: vectors)
        do {
            try index.write(to: Self.graphURL(directory), describing: description)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    /// Writes the file anew, of a snapshot.
    ///
    /// - Returns: what it says of itself; `nil` where the store has no vectors, and the file is removed.
    /// - Throws: ``StorageError``; the file of before is untouched then.
    @concurrent
    static func write(_ snapshot: any StorageSnapshot, in directory: URL) async throws -> Metadata? {
        var (entryRows, ids, ordinals) = ([UInt32](), [uuid_t](), [UInt32]())
        var elements: [Float] = []
        var dimension = 0
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.vectors(of: .passages, after: row, limit: 4096)
            entryRows += page.rows.map(\.littleEndian)
            ids += page.ids.map(\.uuid)
            ordinals += page.ordinals.map(\.littleEndian)
            elements += page.vectors.elements
            if page.vectors.rows > 0 { dimension = page.vectors.columns }
            row = page.next
        } while row != nil
        let url = url(directory)
        let stamp = snapshot.stamp
        let metadata = Metadata(
            store: stamp.store, epoch: stamp.epoch, revision: stamp.revision, count: ids.count,
            dimension: dimension, createdAt: Date().milliseconds)
        do {
            guard !ids.isEmpty else {
                try FileSystem.standard.unlink(url.path)
                return nil
            }
            try FileSystem.standard.createFolder(url.deletingLastPathComponent())
            let description = try JSONEncoder().encode(metadata)
            let (allRows, allIDs, allOrdinals, numbers) = (entryRows, ids, ordinals, elements)
            try await BlockingWork.run { isCancelled in
                // One at a time; and none puts an older state in the place of a newer one.
                let folder = url.deletingLastPathComponent()
                let lock = try FileLock.acquire(
                    folder.appendingPathComponent("lock"), timeout: 600, isCancelled: isCancelled)
                defer { lock.release() }
                try AtomicFile.removeLeftovers(in: folder)
                if let standing = try? SectionFile(url),
                    let other = try? JSONDecoder().decode(Metadata.self, from: standing.metadata),
                    other.store == metadata.store, other.epoch == metadata.epoch,
                    other.revision > metadata.revision
                {
                    return
                }
                try allRows.withUnsafeBytes { rows in
                    try allIDs.withUnsafeBytes { ids in
                        try allOrdinals.withUnsafeBytes { ordinals in
                            try numbers.withUnsafeBytes { vectors in
                                try SectionFile.write(
                                    to: url, metadata: description,
                                    sections: [
                                        ("entryRows", rows), ("ids", ids), ("ordinals", ordinals),
                                        ("vectors", vectors),
                                    ])
                            }
                        }
                    }
                }
            }
        } catch let error as LockTimeout {
            throw StorageError(
                .locked, "the index is being built by \(error.holder)", underlying: error, isRetryable: true)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
        return metadata
    }
}
