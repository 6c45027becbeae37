import Foundation
import RoostFiles
import RoostJSON
import RoostModel
import RoostSQLite

/// The complete state of a storage, from which another storage can be filled, and a handle for comparing the
/// two afterward.
struct StorageTransfer {
    /// The state of the storage at one revision.
    let state: StoreState
    /// The storage that the state was read from, or a copy of it.
    let storage: any StorageProvider
    /// The writers' lock, held while ``storage`` is a copy.
    private let lock: FileLock?
    /// The temporary folder of the copy.
    private let copy: LockedTemporaryFolder?

    private static let temporaryPrefix = "roost-transfer-"

    /// Closes the storage, removes a temporary copy and releases the lock.
    func end() async {
        try? await storage.close()
        copy?.remove()
        lock?.release()
    }

    /// Reads the storage of a configuration without changing it.
    ///
    /// A database of an older format is copied first, because opening it would convert it. In that case no
    /// other process can write to the store until ``end()``.
    ///
    /// - Throws: `StorageError`.
    static func begin(_ configuration: StoreConfiguration) async throws -> StorageTransfer {
        let directory = configuration.directory
        switch configuration.manifest.provider {
        case .sqlite:
            if configuration.hasStorageFiles, try !configuration.hasCurrentFormat() {
                return try await beginWithCopy(configuration)
            }
            var options = configuration.sqliteOptions
            options.movesLogOnClose = false
            let storage = try await SQLiteStorageProvider(
                databaseURL: StoreConfiguration.databaseURL(directory), options: options)
            return StorageTransfer(
                state: try await storage.transferableState(), storage: storage, lock: nil, copy: nil)
        case .json:
            let storage = try LocalStorageProvider(
                directory: StoreConfiguration.storageURL(directory), options: configuration.localOptions)
            return StorageTransfer(
                state: try await storage.transferableState(), storage: storage, lock: nil, copy: nil)
        case .postgres: throw StoreConfiguration.cannotTransferFromServer
        }
    }

    private static func beginWithCopy(_ configuration: StoreConfiguration) async throws -> StorageTransfer {
        let url = StoreConfiguration.databaseURL(configuration.directory)
        let lockURL = configuration.lockURL
        let copy = try StorageError.mappingFileErrors { try LockedTemporaryFolder(prefix: temporaryPrefix) }
        do {
            let lock = try await BlockingWork.run { isCancelled in
                let lock = try FileLock.acquire(
                    lockURL, timeout: StoreManifest.lockTimeout, isCancelled: isCancelled)
                for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
                    try AtomicFile.copy(
                        URL(fileURLWithPath: url.path + suffix),
                        to: copy.url.appendingPathComponent(url.lastPathComponent + suffix))
                }
                return lock
            }
            let storage = try await SQLiteStorageProvider(
                databaseURL: copy.url.appendingPathComponent(url.lastPathComponent))
            return StorageTransfer(
                state: try await storage.transferableState(), storage: storage, lock: lock, copy: copy)
        } catch {
            copy.remove()
            throw StorageError.mapping(error)
        }
    }
}
