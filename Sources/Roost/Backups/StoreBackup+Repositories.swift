public import Foundation
public import RoostChunks
import RoostFiles

extension StoreBackup {
    /// The name of the file that every repository contains.
    package static let configurationName = "config"
    private static let snapshotsName = "snapshots"

    /// Opens the repository in a folder, or creates one if the folder is new or empty.
    ///
    /// - Throws: `BackupError` with `.badInput` if a new repository would be inside the folder of a store,
    ///   and not in its folder `backups`; the errors of ``openOrCreate(in:named:passphrase:)``.
    public static func openOrCreate(
        _ folder: URL, passphrase: String? = nil
    ) async throws -> BackupRepository {
        // A process that creates a repository, or ended while it did, may have left temporary files. They are
        // listed last, and the configuration is looked for after that, because another process can create
        // the repository at the same time.
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let leftovers = Set(AtomicFile.leftovers(in: folder))
        let names = all.filter { !leftovers.contains($0) }
        let hasConfiguration = FileManager.default.fileExists(
            atPath: folder.appendingPathComponent(configurationName).path)
        // A repository can have lost its configuration.
        guard names.isEmpty || hasConfiguration || names.contains(snapshotsName) else {
            throw containsOtherFiles(folder.path)
        }
        if !hasConfiguration, let outer = StoreManifest.store(around: folder),
            !outer.path.hasPrefix(StoreBackup.folderName + "/")
        {
            throw BackupError(
                .badInput,
                "cannot create a backup repository in \(folder.path): it is inside the folder of the store "
                    + "in \(outer.folder.path); name another folder")
        }
        return try await openOrCreate(
            in: FileSystemRetrieval(baseURL: folder), named: folder.path, passphrase: passphrase)
    }

    /// Opens the repository in a chunk storage, or creates one if the storage is empty.
    ///
    /// - Parameters:
    ///   - retrieval: The location of the repository.
    ///   - name: The name of the location, for messages.
    ///   - passphrase: The passphrase of the repository; `nil` for one that is not encrypted.
    /// - Throws: `BackupError` with `.exists` if the location contains other files, or with
    ///   `.wrongPassphrase`; `ChunkStorageError`.
    public static func openOrCreate(
        in retrieval: any ChunkStorageRetrieval, named name: String, passphrase: String? = nil
    ) async throws -> BackupRepository {
        if try await retrieval.presence(at: configurationName) {
            return try await BackupRepository.open(retrieval, passphrase: passphrase)
        }
        guard try await retrieval.paths(in: "").isEmpty else {
            // Another process may have created the repository since the first check, or its configuration is
            // lost.
            do {
                return try await BackupRepository.open(retrieval, passphrase: passphrase)
            } catch let error as BackupError where error.code == .notFound {
                throw containsOtherFiles(name)
            }
        }
        do {
            return try await BackupRepository.create(in: retrieval, passphrase: passphrase)
        } catch let error as BackupError where error.code == .exists {
            // Another process has created the repository in the meantime.
            return try await BackupRepository.open(retrieval, passphrase: passphrase)
        }
    }

    private static func containsOtherFiles(_ location: String) -> BackupError {
        BackupError(
            .exists,
            "cannot create a backup repository in \(location): it contains other files; name a new or empty "
                + "location")
    }

    /// Opens the repository in a chunk storage.
    ///
    /// - Parameters:
    ///   - retrieval: The location of the repository.
    ///   - name: The name of the location, for messages.
    ///   - passphrase: The passphrase of the repository; `nil` for one that is not encrypted.
    /// - Throws: `BackupError`, with `.notFound` or `.wrongPassphrase`; `ChunkStorageError`.
    public static func open(
        _ retrieval: any ChunkStorageRetrieval, named name: String, passphrase: String? = nil
    ) async throws -> BackupRepository {
        do {
            return try await BackupRepository.open(retrieval, passphrase: passphrase)
        } catch let error as BackupError where error.code == .notFound {
            throw BackupError(
                .notFound, "cannot open the backup repository in \(name): it does not exist",
                remedy: .createBackup)
        }
    }
}
