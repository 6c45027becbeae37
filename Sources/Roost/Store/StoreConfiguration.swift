import Foundation
import RoostFiles
import RoostJSON
import RoostModel
import RoostSQLite

/// Where the parts of a store lie in its folder, and how its storage is put together. The one place that
/// names concrete providers and the order of decorators.
struct StoreConfiguration {
    let directory: URL
    let manifest: StoreManifest
    /// The file that writers lock: that of the store, or another for one who holds the store's already.
    let lockURL: URL

    init(directory: URL, manifest: StoreManifest, lockURL: URL? = nil) {
        self.directory = directory
        self.manifest = manifest
        self.lockURL = lockURL ?? Self.lockURL(directory)
    }

    static func lockURL(_ directory: URL) -> URL { directory.appendingPathComponent("lock") }

    /// What somebody who holds the store's lock has the storage lock in its place.
    static func insideLockURL(_ directory: URL) -> URL { directory.appendingPathComponent("lock-inside") }

    static func databaseURL(_ directory: URL) -> URL { directory.appendingPathComponent("roost.sqlite") }

    static func storageURL(_ directory: URL) -> URL { directory.appendingPathComponent("Storage") }

    var sqliteOptions: SQLiteStorageProvider.Options {
        var options = SQLiteStorageProvider.Options()
        options.lockURL = lockURL
        options.maximumSize = manifest.maximumSize
        return options
    }

    var localOptions: LocalStorageProvider.Options {
        var options = LocalStorageProvider.Options()
        options.lockURL = lockURL
        options.maximumSize = manifest.maximumSize
        return options
    }

    /// - Parameters:
    ///   - undo: writes down how to take back what is committed.
    ///   - isForLooking: whether the files stay as they are, their log included.
    ///   - isForFilling: whether it is no store yet: what is written need not last before all of it is.
    func open(
        recording undo: UndoRecorder? = nil, isForLooking: Bool = false, isForFilling: Bool = false
    ) async throws -> any StorageProvider {
        let storage: any StorageProvider
        switch manifest.provider {
        case .sqlite:
            var options = sqliteOptions
            options.movesLogAtClose = !isForLooking
            if isForFilling { options.durability = .normal }
            storage = try await SQLiteStorageProvider(
                databaseURL: Self.databaseURL(directory), options: options)
        case .json:
            var options = localOptions
            if isForFilling { options.files = .deferring }
            storage = try LocalStorageProvider(directory: Self.storageURL(directory), options: options)
        }
        return if let undo { storage.recording(undo) } else { storage }
    }

    /// A storage as a value that another can be filled from, with a handle on it to compare with.
    struct Transfer {
        let state: StoreState
        let storage: any StorageProvider
        /// Keeps writers out where the state is of a copy.
        fileprivate let lock: FileLock?
        /// The folder of the copy, made for it.
        fileprivate let copy: URL?

        func end() async {
            try? await storage.close()
            if let copy { try? FileManager.default.removeItem(at: copy) }
            lock?.release()
        }
    }

    /// Reads the storage without changing it: a database of an older format is copied first, and nobody
    /// writes to it until the transfer has ended.
    func transfer() async throws -> Transfer {
        switch manifest.provider {
        case .sqlite:
            if try FileManager.default.fileExists(atPath: Self.databaseURL(directory).path)
                && !isOfPresentFormat()
            {
                return try await transferOfCopy()
            }
            var options = sqliteOptions
            options.movesLogAtClose = false
            let storage = try await SQLiteStorageProvider(
                databaseURL: Self.databaseURL(directory), options: options)
            return Transfer(
                state: try await storage.transferableState(), storage: storage, lock: nil, copy: nil)
        case .json:
            let storage = try LocalStorageProvider(
                directory: Self.storageURL(directory), options: localOptions)
            return Transfer(
                state: try await storage.transferableState(), storage: storage, lock: nil, copy: nil)
        }
    }

    private func transferOfCopy() async throws -> Transfer {
        let url = Self.databaseURL(directory)
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("roost-\(UUID().uuidString)")
        do {
            let lock = try await BlockingWork.run { isCancelled in
                let lock = try FileLock.acquire(lockURL, timeout: 30, isCancelled: isCancelled)
                try FileSystem.standard.createFolder(copy)
                for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
                    try AtomicFile.copy(
                        URL(fileURLWithPath: url.path + suffix),
                        to: copy.appendingPathComponent(url.lastPathComponent + suffix))
                }
                return lock
            }
            let storage = try await SQLiteStorageProvider(
                databaseURL: copy.appendingPathComponent(url.lastPathComponent))
            return Transfer(
                state: try await storage.transferableState(), storage: storage, lock: lock, copy: copy)
        } catch {
            try? FileManager.default.removeItem(at: copy)
            switch error {
            case let error as FileError:
                throw StorageError(.inputOutput, error.description, underlying: error)
            case let error as LockTimeout:
                throw StorageError(.locked, "\(error)", underlying: error, isRetryable: true)
            default: throw error
            }
        }
    }

    /// Whether opening the storage writes nothing.
    func isOfPresentFormat() throws -> Bool {
        guard manifest.provider == .sqlite else { return true }
        return try SQLiteStorageProvider.isOfPresentFormat(Self.databaseURL(directory))
    }

    /// Fills the storage of this configuration, which must be empty or the beginning of the same.
    func fill(from state: StoreState, progress: @escaping @Sendable (Int) -> Void) async throws {
        switch manifest.provider {
        case .sqlite:
            try await SQLiteStorageProvider.fill(
                databaseURL: Self.databaseURL(directory), options: sqliteOptions, from: state,
                progress: progress)
        case .json:
            try await LocalStorageProvider.fill(
                directory: Self.storageURL(directory), options: localOptions, from: state)
        }
    }

    /// The bytes of the present files of the storage: what a limit is about. Earlier generations, logs and
    /// copies for people are not counted.
    func presentSize() -> Int {
        func size(_ url: URL) -> Int {
            ((try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int) ?? 0
        }
        switch manifest.provider {
        case .sqlite: return size(Self.databaseURL(directory))
        case .json: return LocalStorageProvider.presentSize(of: Self.storageURL(directory))
        }
    }

    // MARK: Inspection

    func inspect() async throws -> [StorageFinding] {
        switch manifest.provider {
        case .sqlite:
            try await SQLiteStorageProvider.inspect(
                databaseURL: Self.databaseURL(directory), options: sqliteOptions)
        case .json:
            try await LocalStorageProvider.inspect(
                directory: Self.storageURL(directory), options: localOptions)
        }
    }

    func repair() async throws -> [StorageFinding] {
        switch manifest.provider {
        case .sqlite:
            try await SQLiteStorageProvider.repair(
                databaseURL: Self.databaseURL(directory), options: sqliteOptions)
        case .json:
            try await LocalStorageProvider.repair(
                directory: Self.storageURL(directory), options: localOptions)
        }
    }
}
