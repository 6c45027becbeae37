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
    /// - Throws: ``BackupError`` with `.notFound` if the storage has no snapshots, or `.damaged` if the
    ///   configuration cannot be restored.
    static func openWithoutConfiguration(
        _ retrieval: any ChunkStorageRetrieval, _ passphrase: String?
    ) async throws -> BackupRepository {
        let snapshots = (try? await retrieval.paths(in: RepositoryObject.snapshots)) ?? []
        let damaged = try await retrieval.readChunk(at: RepositoryObject.configuration)
        guard damaged != nil || !snapshots.isEmpty else {
            throw BackupError(
                .notFound, "cannot open the backup repository: it does not exist", remedy: .createBackup)
        }
        let state = damaged == nil ? "missing" : "corrupt"
        let fault = "its file '\(RepositoryObject.configuration)' is \(state)"
        let indexes = (try? await retrieval.paths(in: RepositoryObject.indexes)) ?? []
        guard !snapshots.isEmpty || !indexes.isEmpty else {
            throw BackupError(
                .damaged,
                "cannot open the backup repository: \(fault), and it has no snapshots; remove its files to "
                    + "create a new one")
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
            try await write(configuration, in: retrieval, replacing: damaged)
        } catch let error as ChunkStorageError where error.isRefusedWrite {
            // A repository on a read-only medium can still be read.
        }
        return BackupRepository(configuration, retrieval, nil)
    }

    private static func write(
        _ configuration: Configuration, in retrieval: any ChunkStorageRetrieval, replacing damaged: Data?
    ) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let data = try encoder.encode(configuration)
        if damaged == nil {
            _ = try await retrieval.createChunk(data, at: RepositoryObject.configuration, metadata: nil)
        } else {
            try await retrieval.writeChunk(data, at: RepositoryObject.configuration, metadata: nil)
        }
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
