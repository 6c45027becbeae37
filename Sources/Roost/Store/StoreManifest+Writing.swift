public import Foundation
import RoostFiles
import RoostModel

extension StoreManifest {
    /// The maximum time that a writer of the manifest waits for other writers of the store, in seconds.
    ///
    /// This is longer than any single commit takes, and it is the same limit as for the storage's own
    /// writers.
    static let lockTimeout: TimeInterval = 30
    /// The maximum time that a reader waits for the writers' lock, in seconds. After that, it resolves a
    /// prepared migration in memory only.
    private static let settlingTimeout: TimeInterval = 2

    /// Returns the manifest with a prepared migration resolved.
    ///
    /// If the storage is in the epoch of the migration, the vectors belong to the new space; otherwise the
    /// migration was not committed. The result is also written to disk if the writers' lock is available.
    ///
    /// - Throws: The errors of ``read(in:)``; `StorageError`.
    public static func settled(in directory: URL) async throws -> StoreManifest {
        let manifest = try read(in: directory)
        guard manifest.move != nil else { return manifest }
        let lock = try? await BlockingWork.run { isCancelled in
            try FileLock.acquire(
                StoreConfiguration.lockURL(directory), timeout: settlingTimeout, isCancelled: isCancelled)
        }
        defer { lock?.release() }
        guard lock != nil else {
            return try await settled(try read(in: directory), in: directory, lockURL: nil)
        }
        // While this process holds the lock, no other process can prepare or commit a migration. The storage
        // has to use another lock file, because this process already holds the store's own.
        let lockURL = StoreConfiguration.insideLockURL(directory)
        let result = try await settled(try read(in: directory), in: directory, lockURL: lockURL)
        // If the write fails, the next process that opens the store resolves the migration again.
        try? result.write(in: directory)
        unlink(lockURL.path)
        return result
    }

    private static func settled(
        _ manifest: StoreManifest, in directory: URL, lockURL: URL?
    ) async throws -> StoreManifest {
        let configuration = StoreConfiguration(directory: directory, manifest: manifest, lockURL: lockURL)
        let epoch = try await configuration.withStorage(.inspection) { storage in
            try await storage.snapshot().stamp.epoch
        }
        var manifest = manifest
        manifest.space = manifest.space(inEpoch: epoch)
        manifest.move = nil
        return manifest
    }

    /// Reads, changes and writes the manifest while holding the writers' lock. Blocks the thread while it
    /// waits.
    static func change(in directory: URL, _ body: (inout StoreManifest) -> Void) throws {
        let lock = try StorageError.mappingFileErrors {
            try FileLock.acquire(StoreConfiguration.lockURL(directory), timeout: lockTimeout)
        }
        defer { lock.release() }
        let old = try read(in: directory)
        var new = old
        body(&new)
        if new != old { try new.write(in: directory) }
    }

    /// Records that the store has original files. Does nothing in a folder without a manifest.
    static func recordOriginals(in directory: URL) async throws {
        guard exists(in: directory), try read(in: directory).hasOriginals != true else { return }
        try await BlockingWork.run { _ in try change(in: directory) { $0.hasOriginals = true } }
    }

    func write(in directory: URL) throws {
        let data = try encoded()
        try StorageError.mappingFileErrors {
            try AtomicFile.write(data, to: directory.appendingPathComponent(Self.fileName))
        }
    }

    /// Writes the manifest of a new store, which makes the folder a store.
    func create(in directory: URL) throws {
        let data = try encoded()
        do {
            try AtomicFile.create(data, at: directory.appendingPathComponent(Self.fileName))
        } catch let error as FileError where error.errno == EEXIST {
            throw RoostError.storeExists(in: directory)
        } catch {
            throw StorageError.mapping(error)
        }
    }

    private func encoded() throws -> Data { try JSONTextEncoder(isPretty: true).encode(self) }
}
