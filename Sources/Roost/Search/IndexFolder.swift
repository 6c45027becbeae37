import Foundation
import RoostFiles
import RoostModel

/// What a file of a store's index says of itself: which state of which store it was made of. It is used for
/// nothing else.
struct IndexMetadata: Codable, Sendable, Hashable {
    var format = 1
    var store: UUID
    var epoch: UUID
    var revision: Revision
    /// Passages, or entries.
    var count: Int
    /// Of the vectors, where it has some.
    var dimension: Int?
    /// When it was made, in milliseconds.
    var createdAt: Int64
    /// Passages that are left out, since their vectors can be compared with nothing.
    var incomparable: Int?

    init(of stamp: Stamp, count: Int, dimension: Int? = nil) {
        (store, epoch, revision) = (stamp.store, stamp.epoch, stamp.revision)
        self.count = count
        self.dimension = dimension
        createdAt = Date().milliseconds
    }

    /// What has changed since follows it.
    var cursor: ChangeCursor {
        ChangeCursor(epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
    }
}

/// The folder of a store's index: files that are derived from the storage, written whole and read where they
/// lie.
struct IndexFolder: Sendable {
    private let url: URL

    init(of store: URL) { url = store.appendingPathComponent("index") }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Opens a file of this history of the store.
    ///
    /// - Parameter stamp: the state that the store is in now.
    /// - Returns: `nil` where there is none, or it is of another history.
    /// - Throws: ``SectionFile/Unusable`` where it is damaged; ``FileError``.
    func open(_ name: String, for stamp: Stamp) throws -> (file: SectionFile, metadata: IndexMetadata)? {
        let url = file(name)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let file = try SectionFile(url)
        guard let metadata = try? JSONDecoder().decode(IndexMetadata.self, from: file.metadata) else {
            throw SectionFile.Unusable(description: "\(url.path) is of another version")
        }
        guard metadata.format == 1, metadata.store == stamp.store, metadata.epoch == stamp.epoch,
            metadata.revision <= stamp.revision
        else { return nil }
        guard metadata.count >= 0, metadata.count < 1 << 32,
            metadata.dimension.map((1...1 << 16).contains) ?? true
        else { throw SectionFile.Unusable(description: "\(url.path) is not as it was written") }
        return (file, metadata)
    }

    /// Writes a file in place of another: one process at a time, and none puts an older state in the place of
    /// a newer one.
    ///
    /// - Throws: ``StorageError``; `CancellationError`. The file of before is untouched then.
    func publish(
        _ name: String, _ metadata: IndexMetadata,
        write: @escaping @Sendable (URL, Data) throws -> Void
    ) async throws {
        let description = try JSONEncoder().encode(metadata)
        try await locked { [self] in
            if try !stands(name, newerThan: metadata) { try write(file(name), description) }
        }
    }

    /// Removes a file, where what stands is not of a newer state.
    ///
    /// - Parameter other: the file whose state counts, if not its own.
    /// - Throws: ``StorageError``; `CancellationError`.
    func remove(_ name: String, ifStanding other: String? = nil, isNotNewerThan stamp: Stamp) async throws {
        let metadata = IndexMetadata(of: stamp, count: 0)
        guard FileManager.default.fileExists(atPath: file(name).path) else { return }
        try await locked { [self] in
            if try !stands(other ?? name, newerThan: metadata) {
                try FileSystem.standard.unlink(file(name).path)
            }
        }
    }

    private func stands(_ name: String, newerThan metadata: IndexMetadata) throws -> Bool {
        guard let standing = try? SectionFile(file(name)),
            let other = try? JSONDecoder().decode(IndexMetadata.self, from: standing.metadata)
        else { return false }
        return other.format == metadata.format && other.store == metadata.store
            && other.epoch == metadata.epoch && other.revision > metadata.revision
    }

    private func locked(_ body: @escaping @Sendable () throws -> Void) async throws {
        do {
            try FileSystem.standard.createFolder(url)
            try await BlockingWork.run { [self] isCancelled in
                let lock = try FileLock.acquire(file("lock"), timeout: 600, isCancelled: isCancelled)
                defer { lock.release() }
                try AtomicFile.removeLeftovers(in: url)
                try body()
            }
        } catch let error as LockTimeout {
            throw StorageError(
                .locked, "the index is being built by \(error.holder)", underlying: error, isRetryable: true)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }
}
