import Foundation
import RoostModel
import Synchronization

/// Keeps a handle from mixing two embedding spaces: where the store has begun another history since the
/// handle last looked, the manifest is asked whether its vectors are still of the handle's space.
struct SpaceGuard<Base: StorageProvider>: StorageProvider {
    let base: Base
    let directory: URL
    /// What the handle's embedder gives.
    let space: EmbeddingSpace
    private let known = KnownEpoch()

    /// The last history that was looked at, shared by the copies of a handle.
    private final class KnownEpoch: Sendable {
        let epoch = Mutex<UUID?>(nil)
    }

    init(base: Base, directory: URL, space: EmbeddingSpace) {
        self.base = base
        self.directory = directory
        self.space = space
    }

    /// - Throws: ``RoostError`` with `.spaceMismatch`.
    private func verify(_ epoch: UUID) throws {
        guard known.epoch.withLock({ $0 }) != epoch else { return }
        // Read after the epoch was: a move is in the manifest before it is in the storage.
        let found = try StoreManifest.read(in: directory).space(inEpoch: epoch)
        guard space.isCompatible(with: found) else {
            throw RoostError(
                .spaceMismatch,
                "the store in \(directory.path) was moved to \(found) since it was opened with \(space); "
                    + "open it again")
        }
        known.epoch.withLock { $0 = epoch }
    }

    func commit(_ batch: WriteBatch) async throws -> Revision {
        guard batch.expecting.epoch == nil else { return try await base.commit(batch) }
        var guarded = batch
        for attempt in 1... {
            if known.epoch.withLock({ $0 }) == nil { try verify(try await base.snapshot().stamp.epoch) }
            let epoch = known.epoch.withLock { $0 }
            guarded.expecting.epoch = epoch
            do {
                return try await base.commit(guarded)
            } catch let error as StorageError where error.code == .conflict && attempt < 5 {
                let found = try await base.snapshot().stamp.epoch
                guard found != epoch else { throw error }
                try verify(found)
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }

    func snapshot() async throws -> any StorageSnapshot {
        let snapshot = try await base.snapshot()
        try verify(snapshot.stamp.epoch)
        return snapshot
    }

    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await base.changes(after: cursor, limit: limit)
    }

    @discardableResult
    func renewEpoch() async throws -> Stamp {
        // After it, the manifest could no longer be told apart from what a move made of the storage.
        _ = try await snapshot()
        _ = try await StoreManifest.settled(in: directory)
        return try await base.renewEpoch()
    }
    func compact() async throws { try await base.compact() }
    func close() async throws { try await base.close() }

    func fetchEntries() async throws -> [Entry] {
        let entries = try await base.fetchEntries()
        _ = try await snapshot()
        return entries
    }

    func fetchClusters() async throws -> [Cluster] {
        let clusters = try await base.fetchClusters()
        _ = try await snapshot()
        return clusters
    }
}

extension StorageProvider {
    /// Refuses to go on where the store in the folder was moved to another space.
    func keeping(to space: EmbeddingSpace, of directory: URL) -> any StorageProvider {
        SpaceGuard(base: self, directory: directory, space: space)
    }
}
