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
    ///
    /// - Returns: also the folder of a copy that was made for it, to be removed after.
    func transferableState() async throws -> (StoreState, any StorageProvider, copy: URL?) {
        switch manifest.provider {
        case .sqlite:
            let url = try databaseOfPresentFormat()
            let folder = url.deletingLastPathComponent()
            let isCopy = folder.standardizedFileURL != directory.standardizedFileURL
            var options = sqliteOptions
            if isCopy { options.lockURL = nil }
            let storage = try await SQLiteStorageProvider(databaseURL: url, options: options)
            return (try await storage.transferableState(), storage, isCopy ? folder : nil)
        case .json:
            let storage = try LocalStorageProvider(
                directory: Self.storageURL(directory), options: localOptions)
            return (try await storage.transferableState(), storage, nil)
        }
    }

    /// Whether opening the storage writes nothing.
    func isOfPresentFormat() throws -> Bool {
        guard manifest.provider == .sqlite else { return true }
        return try SQLiteStorageProvider.isOfPresentFormat(Self.databaseURL(directory))
    }

    /// The database, or a copy of it where opening would bring it to another format.
    private func databaseOfPresentFormat() throws -> URL {
        let url = Self.databaseURL(directory)
        guard FileManager.default.fileExists(atPath: url.path), try !isOfPresentFormat() else { return url }
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("roost-\(UUID().uuidString)")
        do {
            try FileSystem.standard.createFolder(copy)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
                try AtomicFile.copy(
                    URL(fileURLWithPath: url.path + suffix),
                    to: copy.appendingPathComponent(url.lastPathComponent + suffix))
            }
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
        return copy.appendingPathComponent(url.lastPathComponent)
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
