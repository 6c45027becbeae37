import Foundation
import RoostFiles
import RoostModel

/// The folder with a store's index files. They are derived from the storage, replaced as a whole and mapped
/// for reading.
struct IndexFolder: Sendable {
    private let url: URL

    /// The time in seconds that an index builder waits for another one to finish. Building the index of a
    /// million passages takes less than ten minutes.
    private static let lockTimeout: Double = 600

    init(of store: URL) { url = store.appendingPathComponent("index") }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Creates a file without a name on the disk of the store.
    func temporaryFile() throws -> FileDescriptor {
        try FileDescriptor(temporaryIn: url.deletingLastPathComponent())
    }

    /// Opens a file; `nil` if it does not exist or was built from another history of the store.
    func open(_ name: String, for stamp: Stamp) throws -> (file: SectionFile, metadata: IndexMetadata)? {
        let url = file(name)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let file = try SectionFile(url)
        guard let metadata = try? JSONDecoder().decode(IndexMetadata.self, from: file.metadata) else {
            throw SectionFile.Unusable(description: "index file \(url.path) has unreadable metadata")
        }
        guard metadata.isUsable(for: stamp) else { return nil }
        guard metadata.isValid else {
            throw SectionFile.Unusable(description: "index file \(url.path) has metadata out of range")
        }
        return (file, metadata)
    }

    /// Replaces a file atomically, or removes it if the new one would have no rows, unless the existing file
    /// describes a newer state.
    func publish(
        _ name: String, _ metadata: IndexMetadata,
        write: @escaping @Sendable (URL, Data) throws -> Void
    ) async throws {
        let description = try metadata.encoded()
        guard metadata.count > 0 else { return try await remove(name, unlessNewerThan: metadata) }
        try await change { folder in
            if !folder.hasNewer(name, than: metadata) { try write(folder.file(name), description) }
        }
    }

    /// Removes a file, unless it describes a newer state.
    func remove(
        _ name: String, judgedBy other: String? = nil, unlessNewerThan metadata: IndexMetadata
    ) async throws {
        guard FileManager.default.fileExists(atPath: file(name).path) else { return }
        try await change { folder in
            if !folder.hasNewer(other ?? name, than: metadata) {
                try FileSystem.standard.unlink(folder.file(name).path)
            }
        }
    }

    private func hasNewer(_ name: String, than metadata: IndexMetadata) -> Bool {
        self.metadata(of: name)?.isNewer(than: metadata) ?? false
    }

    /// Returns the metadata of a file; `nil` if the file does not exist or is damaged, so that it may be
    /// replaced.
    func metadata(of name: String) -> IndexMetadata? {
        guard let file = try? SectionFile(file(name)) else { return nil }
        return try? JSONDecoder().decode(IndexMetadata.self, from: file.metadata)
    }

    /// Runs `body`, which replaces or removes files, under a lock: only one builder at a time, in any process,
    /// changes the folder.
    func change(_ body: @escaping @Sendable (IndexFolder) throws -> Void) async throws {
        do {
            try FileSystem.standard.createFolder(url)
            try await BlockingWork.run { [self] isCancelled in
                let lock = try FileLock.acquire(
                    file("lock"), timeout: Self.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                try AtomicFile.removeLeftovers(in: url)
                try body(self)
            }
        } catch let error as LockTimeout {
            throw StorageError(
                .locked, "cannot write the search index: \(error.holder) is building it; try again later",
                underlying: error, isRetryable: true, remedy: .retryLater)
        } catch {
            throw StorageError.mapping(error)
        }
    }
}

/// The metadata of an index file, which identify the state of the store that the file was built from.
struct IndexMetadata: Codable, Sendable, Hashable {
    var format = IndexMetadata.currentFormat
    var store: UUID
    var epoch: UUID
    var revision: Revision
    var count: Int
    /// The number of components of a vector; `nil` in a file without vectors.
    var dimension: Int?
    /// The time of creation in milliseconds since 1970.
    var createdAt: Int64
    /// The distribution of the cosines of random pairs of passages; `nil` in a file without vectors.
    var pairs: PairStatistics?
    /// The rows of the passages with which candidates are compared (`HubSample`); `nil` in a file without vectors.
    var sample: [UInt32]?
    /// The version of the word analysis (`TextAnalysis/version`); `nil` in a file without words.
    var analysis: String?

    static let currentFormat = 1

    private static let maximumCount = 1 << 32

    init(of stamp: Stamp, count: Int, dimension: Int? = nil) {
        (store, epoch, revision) = (stamp.store, stamp.epoch, stamp.revision)
        self.count = count
        self.dimension = dimension
        createdAt = Date().milliseconds
    }

    func encoded() throws -> Data { try JSONEncoder.canonical.encode(self) }

    /// The position in the change feed up to which the file includes all changes.
    var cursor: ChangeCursor {
        ChangeCursor(epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
    }

    var isValid: Bool {
        count >= 0 && count < Self.maximumCount
            && dimension.map((1...EmbeddingSpace.maximumDimension).contains) ?? true
    }

    /// Returns whether the file was built from the given state of the store or an earlier one of its history.
    func isUsable(for stamp: Stamp) -> Bool {
        format == Self.currentFormat && store == stamp.store && epoch == stamp.epoch
            && revision <= stamp.revision
    }

    /// Returns whether the file belongs to the same history of the store as another file, but to a later
    /// revision.
    func isNewer(than other: IndexMetadata) -> Bool {
        format == other.format && store == other.store && epoch == other.epoch && revision > other.revision
    }
}
