import Foundation
import RoostFiles
import RoostIndexes
import RoostModel
import RoostSQLite

/// A check of a store's files that does not require the storage to be open.
protocol StoreFileCheck: Sendable {
    /// Returns the findings. Changes no file.
    func findings(in configuration: StoreConfiguration) async throws -> [StorageFinding]
}

/// A check of a store's contents at one revision.
protocol StoreContentCheck: Sendable {
    /// Returns the findings. Changes no file.
    func findings(in contents: StoreContents) async throws -> [StorageFinding]
}

/// The contents of a store that a ``StoreContentCheck`` inspects.
struct StoreContents {
    /// The store's folder.
    let directory: URL
    /// The revision that is inspected.
    let snapshot: any StorageSnapshot
    /// The embedding space of the vectors; `nil` if the manifest is lost.
    let space: EmbeddingSpace?
}

// MARK: - Files

/// Reports a store that can only be read.
struct ReadOnlyCheck: StoreFileCheck {
    func findings(in configuration: StoreConfiguration) -> [StorageFinding] {
        guard StoreConfiguration.isReadOnly(configuration.directory) else { return [] }
        return [
            .note(
                configuration.directory.path,
                "the folder is read-only: it is on a read-only file system, or the permission to write is "
                    + "missing")
        ]
    }
}

/// Reports the process that holds the writers' lock.
struct LockCheck: StoreFileCheck {
    /// The maximum length of a lock holder's description in bytes.
    private static let maximumLength = 200

    func findings(in configuration: StoreConfiguration) -> [StorageFinding] {
        let url = StoreConfiguration.lockURL(configuration.directory)
        if let lock = try? FileLock.shared(url) {
            lock.release()
            return []
        }
        guard let data = FileManager.default.contents(atPath: url.path) else { return [] }
        let holder = String(decoding: data.prefix(Self.maximumLength), as: UTF8.self)
        return [.note(url.path, "is held by \(holder.trimmingCharacters(in: .whitespacesAndNewlines))")]
    }
}

/// Reports files that remain from earlier repairs, or from processes that ended before their work was
/// complete.
struct LeftoverCheck: StoreFileCheck {
    /// Returns the names of partly written files in a store's folder.
    static func temporaryFiles(in directory: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let database = StoreConfiguration.databaseURL(directory).lastPathComponent
        return AtomicFile.leftovers(in: directory)
            + names.filter { $0.hasPrefix(database + ".") && $0.hasSuffix(".tmp") }
    }

    func findings(in configuration: StoreConfiguration) -> [StorageFinding] {
        let directory = configuration.directory
        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
        var findings: [StorageFinding] = Self.temporaryFiles(in: directory).map { name in
            .note(
                path(name), "is a temporary file of a process that ended unexpectedly",
                remedy: "removes it")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names.sorted() where name.hasPrefix("repaired-") || name.hasPrefix("damaged-") {
            findings.append(.note(path(name), "was created by an earlier repair"))
        }
        let migration = MigrationFolder(of: directory).url
        if names.contains(migration.lastPathComponent) {
            findings.append(
                .note(
                    migration.path,
                    "contains an unfinished migration to another model, which can be resumed or discarded"))
        }
        if names.contains(StoreMigration.markerName) {
            findings.append(.note(path(StoreMigration.markerName), "belongs to an unfinished migration"))
        }
        return findings
    }
}

/// Reports a repair or conversion of a database that was interrupted after its result was complete.
struct ReplacementCheck: StoreFileCheck {
    func findings(in configuration: StoreConfiguration) -> [StorageFinding] {
        let url = StoreConfiguration.databaseURL(configuration.directory)
        guard configuration.manifest.provider == .sqlite, SQLiteStorageProvider.isReplacementPending(url)
        else { return [] }
        return [
            .note(
                url.path,
                "a repair or conversion was interrupted; its result is used, and replaces the file as soon "
                    + "as the store is opened with permission to write")
        ]
    }
}

/// Inspects the files of the storage provider.
struct StorageFileCheck: StoreFileCheck {
    func findings(in configuration: StoreConfiguration) async throws -> [StorageFinding] {
        // Opening a JSON storage would create the missing folder.
        if configuration.manifest.provider == .json, !configuration.hasStorageFiles {
            let url = StoreConfiguration.storageURL(configuration.directory)
            return [.damage(url.path, "is missing; restore it from a copy")]
        }
        return try await configuration.inspect()
    }
}

// MARK: - Contents

/// Inspects entries, passages, vectors and assignments.
struct EntryCheck: StoreContentCheck {
    func findings(in contents: StoreContents) async throws -> [StorageFinding] {
        try await contents.snapshot.inspectContents(space: contents.space)
    }
}

/// Compares original documents with their digests.
struct OriginalCheck: StoreContentCheck {
    func findings(in contents: StoreContents) async throws -> [StorageFinding] {
        try await OriginalStore(of: contents.directory).damaged().map { damage in
            .damage(
                damage.path, "is a damaged original document: \(damage.reason)",
                remedy: "moves it aside; it is stored again when the file is ingested with its original")
        }
    }
}

/// Verifies the search index. The index is derived data, so damage to it is not damage to the store.
struct IndexCheck: StoreContentCheck {
    func findings(in contents: StoreContents) -> [StorageFinding] {
        let (directory, stamp) = (contents.directory, contents.snapshot.stamp)
        let folder = IndexFolder(of: directory)
        var findings: [StorageFinding] = []
        func check(_ name: String, _ body: () throws -> Void) {
            do {
                try body()
            } catch {
                findings.append(
                    .note(
                        folder.file(name).path, "is not used: \(error)",
                        remedy: "does not change it; rebuild the index to replace it"))
            }
        }
        check(PassageFile.name) {
            let file = try PassageFile(in: directory, for: stamp)
            try file?.vectors.verify()
            try file?.graph()?.verify()
        }
        check(TextFile.name) { try TextFile(in: directory, for: stamp)?.verifyPositions() }
        return findings
    }
}
