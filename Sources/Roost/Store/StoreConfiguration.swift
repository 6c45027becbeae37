import Foundation
import RoostFiles
import RoostModel
import RoostStorage
import RoostVectors

/// The paths inside a store's folder and the composition of its storage.
///
/// This is the only type that names concrete providers and determines the order of decorators.
struct StoreConfiguration {
    let directory: URL
    let manifest: StoreManifest
    /// The lock file that the storage's writers use.
    let lockURL: URL

    /// Creates the configuration of the store in a folder.
    ///
    /// - Parameter lockURL: The lock file to use instead of the store's own, for a caller that already holds
    ///   that one.
    init(directory: URL, manifest: StoreManifest, lockURL: URL? = nil) {
        self.directory = directory
        self.manifest = manifest
        self.lockURL = lockURL ?? Self.lockURL(directory)
    }

    // MARK: Paths

    /// The file that every writer of the store locks.
    static func lockURL(_ directory: URL) -> URL { directory.appendingPathComponent("lock") }

    /// The file that the storage locks while its caller holds the store's own lock.
    static func insideLockURL(_ directory: URL) -> URL { directory.appendingPathComponent("lock-inside") }

    static func databaseURL(_ directory: URL) -> URL { directory.appendingPathComponent("roost.sqlite") }

    static func storageURL(_ directory: URL) -> URL { directory.appendingPathComponent("Storage") }

    /// Returns the database or the folder with entries in a store's folder; `nil` if there is neither.
    static func storageFile(in directory: URL) -> URL? {
        [databaseURL(directory), storageURL(directory)].first {
            FileManager.default.fileExists(atPath: $0.path)
        }
    }

    var hasStorageFiles: Bool { FileManager.default.fileExists(atPath: storagePath) }

    var storagePath: String {
        switch manifest.provider {
        case .sqlite: Self.databaseURL(directory).path
        case .json: Self.storageURL(directory).path
        case .postgres: serverName
        }
    }

    /// Whether the configured provider has stored anything, or has files that it would read.
    var hasStorage: Bool {
        switch manifest.provider {
        case .sqlite: presentSize() > 0
        case .json: LocalStorageProvider.hasContents(in: Self.storageURL(directory))
        case .postgres: true
        }
    }

    // MARK: Opening

    enum Access {
        /// Normal use: every commit is durable when it returns.
        case readWrite
        /// Reading only: no file is changed, not even by moving a log into the database on close.
        case inspection
        /// Filling a folder that is not a store yet: durability is the responsibility of the caller, who
        /// synchronizes all files before the folder becomes a store.
        case filling
    }

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

    func open(
        _ access: Access = .readWrite, recording undo: UndoRecorder? = nil
    ) async throws -> any StorageProvider {
        // Opening creates a missing storage.
        if access != .filling, let missingStorage { throw damaged(missingStorage) }
        let storage = try await openWithoutCheck(access)
        if access != .filling, manifest.store != nil {
            do {
                if let mismatch = mismatch(try await storage.snapshot().stamp) { throw damaged(mismatch) }
            } catch {
                try? await storage.close()
                throw error
            }
        }
        guard let undo else { return storage }
        return storage.recording(undo, keeping: OriginalStore(of: directory))
    }

    /// Returns the stamp of the storage, even if the storage does not belong to the manifest.
    func storageStamp() async throws -> Stamp {
        try await Self.using(openWithoutCheck(.inspection)) { try await $0.snapshot().stamp }
    }

    private func openWithoutCheck(_ access: Access) async throws -> any StorageProvider {
        switch manifest.provider {
        case .sqlite:
            var options = sqliteOptions
            options.movesLogOnClose = access != .inspection
            if access == .filling { (options.durability, options.isBeingFilled) = (.normal, true) }
            return try await SQLiteStorageProvider(
                databaseURL: Self.databaseURL(directory), options: options)
        case .json:
            var options = localOptions
            if access == .filling { options.files = .deferring }
            return try LocalStorageProvider(directory: Self.storageURL(directory), options: options)
        case .postgres:
            let (server, store) = try server()
            return try await server.open(store)
        }
    }

    /// Opens the storage, runs `body` with it and closes it, even if `body` throws.
    func withStorage<Result>(
        _ access: Access = .readWrite, _ body: (any StorageProvider) async throws -> Result
    ) async throws -> Result {
        try await Self.using(open(access), body)
    }

    static func using<Result>(
        _ storage: any StorageProvider, _ body: (any StorageProvider) async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await body(storage)
        } catch {
            try? await storage.close()
            throw error
        }
        try await storage.close()
        return result
    }

    /// Returns the size in bytes of the current storage files.
    ///
    /// Earlier generations, logs and readable copies are not counted. A store on a server has no such files.
    func presentSize() -> Int {
        switch manifest.provider {
        case .sqlite:
            let attributes = try? FileManager.default.attributesOfItem(atPath: storagePath)
            return (attributes?[.size] as? Int) ?? 0
        case .json: return LocalStorageProvider.presentSize(of: Self.storageURL(directory))
        case .postgres: return 0
        }
    }

    // MARK: Inspection

    func inspect() async throws -> [StorageFinding] {
        switch manifest.provider {
        case .sqlite:
            return try await SQLiteStorageProvider.inspect(
                databaseURL: Self.databaseURL(directory), options: sqliteOptions)
        case .json:
            return try await LocalStorageProvider.inspect(
                directory: Self.storageURL(directory), options: localOptions)
        case .postgres:
            let (server, store) = try server()
            return try await server.inspect(store)
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
        case .postgres: try await repairOnServer()
        }
    }
}

// MARK: - Identity

// The comparison of the id that a manifest records with the id in the storage.
//
// A storage that does not belong to its manifest would be reported as empty, or searched with the vectors of
// another model. It results from a database that was copied from another store, or from a manifest that names
// the wrong provider.
extension StoreConfiguration {
    /// The configuration with the other provider that keeps its data in the folder.
    private var other: StoreConfiguration {
        let manifest = changing(manifest) { $0.provider = $0.provider == .sqlite ? .json : .sqlite }
        return StoreConfiguration(directory: directory, manifest: manifest)
    }

    /// The configuration with the provider whose files exist, if those of the manifest's provider are missing.
    var withExistingStorage: StoreConfiguration { hasStorage || !other.hasStorage ? self : other }

    /// The description of a storage that is missing; `nil` if it exists or need not exist yet.
    var missingStorage: String? {
        guard !hasStorage else { return nil }
        if other.hasStorage {
            return "\(StoreManifest.fileName) names the provider \(manifest.provider.rawValue), but "
                + "\(storagePath) is missing, and \(other.storagePath) exists"
        }
        // The manifest of a new store has no id yet.
        return manifest.store == nil ? nil : "\(storagePath) is missing or empty"
    }

    /// Returns the description of a storage that belongs to another store; `nil` if it belongs to the
    /// manifest.
    func mismatch(_ stamp: Stamp) -> String? {
        guard let store = manifest.store, store != stamp.store else { return nil }
        return
            "\(StoreManifest.fileName) describes the store \(store), but \(storagePath) contains the store "
            + "\(stamp.store)"
    }

    private func damaged(_ reason: String) -> StorageError {
        StorageError(
            .damaged,
            "cannot open the store in \(directory.path): \(reason); restore the matching files, or repair the "
                + "store to use the storage that is present",
            remedy: .inspectStore)
    }
}

/// Settings of the whole process, which a program chooses and a library must not.
package enum ProcessSettings {
    /// Applies the settings of a program that uses SQLite and BLAS only through Roost. This must be called
    /// before the first use of either, when the process has one thread.
    package static func apply() {
        SQLiteMemory.disableStatistics()
        #if !canImport(Accelerate)
            BLAS.prepareProcess()
        #endif
    }
}
