import Foundation
import RoostChunks
import RoostModel

extension BackupRepository {
    /// The number of objects that are read to determine whether a repository is encrypted. One of them can be
    /// corrupt, too.
    private static let sampleCount = 5

    /// Opens a repository whose configuration is missing or corrupt.
    ///
    /// Without encryption, the configuration contains nothing that is needed to read the repository, so it is
    /// written again. The configuration of an encrypted repository contains the sealed key.
    ///
    /// - Parameter damaged: The bytes of the corrupt configuration; `nil` if it is missing.
    /// - Throws: ``BackupError`` with `.notFound` if the configuration is missing and the storage has no
    ///   snapshots, or `.damaged` if the configuration cannot be restored; `ChunkStorageError` if the storage
    ///   cannot be read.
    static func openWithoutConfiguration(
        _ retrieval: any ChunkStorageRetrieval, _ passphrase: String?, replacing damaged: Data?
    ) async throws -> BackupRepository {
        let snapshots = try await objects(in: RepositoryObject.snapshots, retrieval)
        guard damaged != nil || !snapshots.isEmpty else {
            throw BackupError(
                .notFound, "cannot open the backup repository: it does not exist", remedy: .createBackup)
        }
        let state = damaged == nil ? "missing" : "corrupt"
        let fault = "its file '\(RepositoryObject.configuration)' is \(state)"
        let indexes = try await objects(in: RepositoryObject.indexes, retrieval)
        guard !snapshots.isEmpty || !indexes.isEmpty else {
            throw BackupError(
                .damaged,
                "cannot open the backup repository: \(fault), and it has no snapshots; name a new or empty "
                    + "location")
        }
        guard try await isUnencrypted(retrieval, snapshots + indexes) else {
            throw BackupError(
                .damaged,
                "cannot open the backup repository: \(fault), which contains the key of an encrypted "
                    + "repository; restore this file from a copy of the repository")
        }
        guard passphrase == nil else {
            throw BackupError(
                .wrongPassphrase,
                "cannot open the backup repository: \(fault), and its snapshots are not encrypted; open it "
                    + "without a passphrase")
        }
        let configuration = Configuration(format: currentFormat, id: UUID())
        do {
            guard try await write(configuration, in: retrieval, replacing: damaged) else {
                // Another process has written the configuration in the meantime.
                return try await open(retrieval, passphrase: nil)
            }
        } catch let error as ChunkStorageError where error.isRefusedWrite {
            // A repository on a read-only medium can still be read.
        }
        return BackupRepository(configuration, retrieval, nil)
    }

    /// Writes a configuration.
    ///
    /// - Returns: `false` if it was missing, and another process has created it.
    private static func write(
        _ configuration: Configuration, in retrieval: any ChunkStorageRetrieval, replacing damaged: Data?
    ) async throws -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let data = try encoder.encode(configuration)
        if damaged == nil {
            return try await retrieval.createChunk(data, at: RepositoryObject.configuration, metadata: nil)
        }
        try await retrieval.writeChunk(data, at: RepositoryObject.configuration, metadata: nil)
        return true
    }

    /// Returns the paths of the objects in a folder. Other files are ignored.
    private static func objects(
        in folder: String, _ retrieval: any ChunkStorageRetrieval
    ) async throws -> [String] {
        try await retrieval.paths(in: folder).filter {
            SegmentID(hexadecimal: RepositoryObject.name(of: $0)) != nil
        }.sorted()
    }

    /// Returns whether one of the first objects has the plain digest of its bytes as its name. In an
    /// encrypted repository, names are keyed digests of other bytes.
    private static func isUnencrypted(
        _ retrieval: any ChunkStorageRetrieval, _ paths: [String]
    ) async throws -> Bool {
        let naming = SegmentNaming(key: nil)
        for path in paths.prefix(sampleCount) {
            guard let data = try await retrieval.readChunk(at: path) else { continue }
            if naming.name(of: data) == RepositoryObject.name(of: path) { return true }
        }
        return false
    }
}
