public import Foundation
import RoostFiles
import RoostModel

/// The location of stored sessions: the folder of a ``FileSessionStorage`` or the database of a
/// ``SQLiteSessionStorage``.
public struct SessionStorageLocation: Sendable, Hashable {
    /// The kind of storage at a location.
    public enum Kind: Sendable, Hashable {
        /// The folder of a ``FileSessionStorage``.
        case folder
        /// The database of a ``SQLiteSessionStorage``.
        case database
    }

    /// The location of the folder or database.
    public let url: URL
    /// The kind of storage.
    public let kind: Kind

    /// Determines the kind of storage at a location. If nothing exists at the location, the file extension
    /// decides: `.sqlite`, `.sqlite3` and `.db` mean a database, and everything else means a folder.
    public init(_ url: URL) {
        self.url = url.standardizedFileURL
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) {
            kind = isFolder.boolValue ? .folder : .database
        } else {
            kind = ["sqlite", "sqlite3", "db"].contains(url.pathExtension.lowercased()) ? .database : .folder
        }
    }

    /// Opens the session storage.
    ///
    /// - Parameters:
    ///   - creates: Whether to create the storage if it does not exist. Otherwise a missing storage is an
    ///     error.
    ///   - onDamage: Called for sessions that are omitted from lists because they cannot be read. By default,
    ///     a warning is logged.
    /// - Throws: `StorageError`: `.notFound` if the storage does not exist or is empty; `.invalidBatch` if
    ///   the location contains something else, which is not changed; `.newerFormat`, `.damaged`,
    ///   `.inputOutput`.
    public func open(
        creates: Bool = false, onDamage: DamageHandler<String>? = nil
    ) throws -> any SessionStorageProtocol & MaintainedStorage<String> & Sendable {
        let path = url.path
        let exists = FileManager.default.fileExists(atPath: path)
        guard exists || creates else {
            throw StorageError(.notFound, "cannot open sessions at \(path): it does not exist")
        }
        switch kind {
        case .database:
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            guard creates || size ?? 0 > 0 else {
                throw StorageError(
                    .notFound, "cannot open sessions at \(path): the file is empty")
            }
            return try SQLiteSessionStorage(databasePath: path, onDamage: onDamage)
        case .folder:
            let storage = FileSessionStorage(directory: url, onDamage: onDamage)
            let names = exists ? try FileManager.default.contentsOfDirectory(atPath: path) : []
            guard names.isEmpty ? creates : storage.isSessionFolder(names) else {
                throw names.isEmpty
                    ? StorageError(
                        .notFound, "cannot open sessions at \(path): the folder is empty")
                    : StorageError.invalid(
                        "cannot open sessions at \(path): the folder contains other files")
            }
            return storage
        }
    }
}
