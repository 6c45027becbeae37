public import Foundation
import RoostFiles
import RoostModel

/// A place that has sessions: a folder of ``FileSessionStorage``, or a database of ``SQLiteSessionStorage``.
public struct SessionStorageLocation: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case folder, database
    }

    public let url: URL
    public let kind: Kind

    /// What there is at a place; for one where nothing is, what its name says: a database for `.sqlite`,
    /// `.sqlite3` and `.db`, else a folder.
    public init(_ url: URL) {
        self.url = url.standardizedFileURL
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) {
            kind = isFolder.boolValue ? .folder : .database
        } else {
            kind = ["sqlite", "sqlite3", "db"].contains(url.pathExtension.lowercased()) ? .database : .folder
        }
    }

    /// Opens the sessions that are there.
    ///
    /// - Parameters:
    ///   - creates: makes the place where there is nothing; else that is an error.
    ///   - onDamage: is told what lists leave out; without it a warning is logged.
    /// - Throws: ``StorageError``: `.notFound` where there are no sessions, `.invalidBatch` for a place of
    ///   something else, which stays as it is; `.newerFormat`, `.damaged`, `.inputOutput`.
    public func open(
        creates: Bool = false, onDamage: DamageHandler<String>? = nil
    ) throws -> any SessionStorageProtocol & MaintainedStorage<String> & Sendable {
        let path = url.path
        let exists = FileManager.default.fileExists(atPath: path)
        guard exists || creates else { throw StorageError(.notFound, "there is nothing at \(path)") }
        switch kind {
        case .database:
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            guard creates || size ?? 0 > 0 else {
                throw StorageError(.notFound, "\(path) is empty: it has no sessions")
            }
            return try SQLiteSessionStorage(databasePath: path, onDamage: onDamage)
        case .folder:
            let storage = FileSessionStorage(directory: url, onDamage: onDamage)
            let names = exists ? try FileManager.default.contentsOfDirectory(atPath: path) : []
            guard names.isEmpty ? creates : storage.isOfSessions(names) else {
                throw names.isEmpty
                    ? StorageError(.notFound, "the folder \(path) has no sessions")
                    : StorageError.invalid("\(path) is a folder of something else than sessions")
            }
            return storage
        }
    }
}
