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

    static func lockURL(_ directory: URL) -> URL { directory.appendingPathComponent("lock") }

    static func databaseURL(_ directory: URL) -> URL { directory.appendingPathComponent("roost.sqlite") }

    static func storageURL(_ directory: URL) -> URL { directory.appendingPathComponent("Storage") }

    var sqliteOptions: SQLiteStorageProvider.Options {
        var options = SQLiteStorageProvider.Options()
        options.lockURL = Self.lockURL(directory)
        options.maximumSize = manifest.maximumSize
        return options
    }

    var localOptions: LocalStorageProvider.Options {
        var options = LocalStorageProvider.Options()
        options.lockURL = Self.lockURL(directory)
        options.maximumSize = manifest.maximumSize
        return options
    }

    /// - Parameter undo: writes down how to take back what is committed.
    func open(recording undo: UndoRecorder? = nil) async throws -> any StorageProvider {
        let storage: any StorageProvider
        switch manifest.provider {
        case .sqlite:
            storage = try await SQLiteStorageProvider(
                databaseURL: Self.databaseURL(directory), options: sqliteOptions)
        case .json:
            storage = try LocalStorageProvider(
                directory: Self.storageURL(directory), options: localOptions)
        }
        return if let undo { storage.recording(undo) } else { storage }
    }

    /// What the storage is, as a value that another provider can be filled from, and a snapshot of the same
    /// revision to compare with.
    func transferableState() async throws -> (StoreState, any StorageProvider) {
        switch manifest.provider {
        case .sqlite:
            let storage = try await SQLiteStorageProvider(
                databaseURL: Self.databaseURL(directory), options: sqliteOptions)
            return (try await storage.transferableState(), storage)
        case .json:
            let storage = try LocalStorageProvider(
                directory: Self.storageURL(directory), options: localOptions)
            return (try await storage.transferableState(), storage)
        }
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
