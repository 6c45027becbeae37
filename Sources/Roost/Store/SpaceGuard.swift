import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// A decorator that prevents a handle from mixing vectors of two embedding spaces.
///
/// Another process may migrate the store to another model, which begins a new epoch. Whenever the epoch
/// differs from the one that was verified last, the manifest is read again, and the call fails if the vectors
/// no longer belong to the handle's space.
struct SpaceGuard<Base: StorageProvider>: StorageDecorator {
    let base: Base
    let directory: URL
    let space: EmbeddingSpace
    private let verified = VerifiedEpoch()

    /// The epoch that was verified last, shared by the copies of a handle.
    private final class VerifiedEpoch: Sendable {
        let epoch = Mutex<UUID?>(nil)
    }

    /// Checks that the store's vectors belong to ``space`` in the given epoch.
    private func verify(_ epoch: UUID) throws {
        guard verified.epoch.withLock({ $0 }) != epoch else { return }
        // The caller read the epoch before the manifest is read here. A migration writes the manifest before
        // it commits, so the manifest already describes this epoch.
        let current = try StoreManifest.read(in: directory).space(inEpoch: epoch)
        guard space.isCompatible(with: current) else {
            throw RoostError(
                .spaceMismatch,
                "cannot use the store in \(directory.path): another process migrated it to \(current) after "
                    + "it was opened with \(space)",
                remedy: .reopenStore)
        }
        verified.epoch.withLock { $0 = epoch }
    }

    /// Checks that the folder still contains a store. A storage could answer from memory after its folder was
    /// moved or deleted.
    private func checkFolder() throws {
        guard StoreManifest.exists(in: directory) else { throw RoostError.noStore(in: directory) }
    }

    func commit(_ batch: WriteBatch) async throws -> Revision {
        try checkFolder()
        guard batch.expecting.epoch == nil else { return try await base.commit(batch) }
        var guarded = batch
        return try await ConflictRetry.standard.run {
            if verified.epoch.withLock({ $0 }) == nil { try verify(try await base.snapshot().stamp.epoch) }
            guarded.expecting.epoch = verified.epoch.withLock { $0 }
            return try await base.commit(guarded)
        } recoveringWith: { _ in
            // This decorator handles only conflicts that a new epoch causes; the caller handles all others.
            let current = try await base.snapshot().stamp.epoch
            guard current != guarded.expecting.epoch else { return false }
            try verify(current)
            return true
        }
    }

    func snapshot() async throws -> any StorageSnapshot {
        try checkFolder()
        let snapshot = try await base.snapshot()
        try verify(snapshot.stamp.epoch)
        return snapshot
    }

    @discardableResult
    func renewEpoch() async throws -> Stamp {
        // Whether a prepared migration was committed is determined by the epoch, so it is resolved before the
        // epoch changes.
        _ = try await snapshot()
        _ = try await StoreManifest.settled(in: directory)
        return try await base.renewEpoch()
    }
}

extension StorageProvider {
    /// Returns a decorated storage whose calls fail once the store in `directory` has been migrated to a
    /// space other than `space`.
    func requiring(_ space: EmbeddingSpace, in directory: URL) -> any StorageProvider {
        SpaceGuard(base: self, directory: directory, space: space)
    }
}
