import Foundation
import RoostFiles
import RoostModel

/// The folder `reembed` in a store's folder, in which a migration to another model collects new vectors.
///
/// It contains a separate store in the new space, with a copy of each text.
struct MigrationFolder {
    /// The store's folder.
    private let directory: URL
    let url: URL

    /// The name of the file that a running migration locks.
    private static let lockName = "busy"
    /// The prefix of the name of a migration folder that is being removed.
    private static let removedPrefix = ".reembed-"

    init(of directory: URL) {
        self.directory = directory
        url = directory.appendingPathComponent("reembed")
    }

    /// Whether a migration has begun.
    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// The manifest of the separate store; `nil` if it is missing or cannot be read.
    var manifest: StoreManifest? {
        guard let manifest = try? StoreManifest.read(in: url),
            StoreConfiguration(directory: url, manifest: manifest).hasStorageFiles
        else { return nil }
        return manifest
    }

    /// Creates the folder and acquires its lock.
    ///
    /// - Throws: `StorageError` with `.locked` if a migration is running.
    func lock() throws -> FileLock {
        do {
            try FileSystem.standard.createFolder(url)
            return try FileLock.acquire(url.appendingPathComponent(Self.lockName), timeout: 0)
        } catch let error as LockTimeout {
            throw StorageError(
                .locked, "the store is being migrated to another model by \(error.holder)",
                underlying: error, isRetryable: true, remedy: .retryLater)
        } catch {
            throw StorageError.mapping(error)
        }
    }

    /// Opens the separate store for the embedder, with the vectors that an earlier call collected.
    ///
    /// A store that has another embedding space or is damaged is replaced with an empty one. Other errors,
    /// such as a full disk, do not discard collected vectors.
    func openStore(_ space: EmbeddingSpace, _ embedder: any Embedder) async throws -> KnowledgeStore {
        do {
            let manifest = try StoreManifest.read(in: url)
            if manifest.space.isCompatible(with: space) {
                let storage = try await StoreConfiguration(directory: url, manifest: manifest).open()
                return KnowledgeStore(storage: storage, embedder: embedder)
            }
        } catch let error as RoostError where [.noStore, .damagedManifest].contains(error.code) {
        } catch let error as StorageError where error.code == .damaged {
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        for name in names where name != Self.lockName {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
        return try await KnowledgeStore.createAnywhere(in: url, embedder: embedder)
    }

    /// Removes the folder.
    ///
    /// The folder is renamed first, so no process opens a partly removed store.
    ///
    /// - Throws: `StorageError`.
    func remove() throws {
        try StorageError.mappingFileErrors {
            let files = FileSystem.standard
            let target = directory.appendingPathComponent("\(Self.removedPrefix)\(UUID().uuidString)")
            try files.rename(url.path, to: target.path)
            // Also remove folders that remain from processes that ended during a removal.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
            for name in names where name.hasPrefix(Self.removedPrefix) {
                try files.removeFolder(directory.appendingPathComponent(name))
            }
        }
    }
}
