public import Foundation
import RoostChunks
import RoostFiles
public import RoostModel

/// A migration of a store to another embedding model: every text is embedded again, and then all vectors are
/// replaced in one commit.
///
/// The phases of ``run(progress:)`` are:
/// 1. **Collect**: embed all texts into a separate store inside the store's folder. The store can be searched
///    and changed during this phase. An interrupted migration to the same space resumes here.
/// 2. **Back up**: create a snapshot in the store's own backup repository.
/// 3. **Catch up**: embed the texts that changed in the meantime.
/// 4. **Replace**: while holding the writers' lock, embed the last ones, announce the new space in the manifest
///    and commit all vectors with a new epoch.
///
/// Clusters keep their ids, labels and members; their centroids and quality figures are computed from the new
/// vectors.
public struct ModelMigration: Sendable {
    /// The store's folder.
    public let directory: URL
    /// The embedder of the new model.
    public let embedder: any Embedder
    /// Whether phase 2 creates a backup.
    public var makesBackup = true
    /// The settings of the store's own backup repository.
    public var backups = BackupSettings()

    /// Creates a migration of the store in `directory` to the model of `embedder`.
    public init(of directory: URL, to embedder: any Embedder) {
        self.directory = directory
        self.embedder = embedder
    }

    /// The result of a migration.
    public struct Report: Sendable, Hashable, Encodable {
        /// The embedding space before the migration.
        public var from: EmbeddingSpace
        /// The embedding space after the migration.
        public var to: EmbeddingSpace
        /// The number of entries in the store, all of which have vectors of the new space.
        public var entries = 0
        /// The number of entries that this call embedded; interrupted calls may have embedded others.
        public var embedded = 0
        /// The number of tokens that this call embedded.
        public var tokens = 0
        /// The number of tokens beyond the model's limit, which no vector represents.
        public var omittedTokens = 0
        /// Whether the store has clusters. Their members were determined by the old vectors.
        public var hasClusters = false
        /// The id of the backup snapshot; `nil` if none was created.
        public var backup: String?
        /// Whether vectors were replaced; `false` if the store already had the new space.
        public var isMoved = false
    }

    /// The progress of phase 1.
    public struct Progress: Sendable, Hashable {
        /// The number of entries with new vectors.
        public var done: Int
        /// The number of entries in the store.
        public var total: Int
    }

    // MARK: Interrupted migrations

    /// Returns the embedding space of an interrupted migration; `nil` if no migration can be resumed.
    public static func unfinished(in directory: URL) -> EmbeddingSpace? {
        let url = MigrationFolder(of: directory).url
        guard let manifest = try? StoreManifest.read(in: url),
            StoreConfiguration(directory: url, manifest: manifest).hasStorageFiles
        else { return nil }
        return manifest.space
    }

    // MARK: Running

    /// Migrates the store.
    ///
    /// - **Atomicity**: At any moment, the store is complete, and all of its vectors belong to one space.
    /// - **Visibility**: Handles that were opened before throw `.spaceMismatch` afterwards. Other writers,
    ///   and processes that open the store, wait while the vectors are replaced.
    /// - **Cancellation**: Takes effect between batches. Collected vectors are kept for the next call. A
    ///   migration to the space that the store already has discards them.
    /// - Parameter progress: Called after each batch of phase 1.
    /// - Throws: ``RoostError`` with `.noStore`, and the other errors that opening a store can throw;
    ///   `EmbedderError`; `StorageError`, with `.locked` if another migration is running; `BackupError` or
    ///   `ChunkStorageError` if the backup fails; `CancellationError`.
    /// - Complexity: All entries and their new vectors are held in memory.
    @concurrent
    public func run(progress: @escaping @Sendable (Progress) -> Void = { _ in }) async throws -> Report {
        guard StoreManifest.exists(in: directory) else { throw RoostError.noStore(in: directory) }
        // The lock creates the folder of the migration, so a refusal must come first.
        if (try? StoreManifest.read(in: directory))?.provider == .postgres {
            throw StoreConfiguration.cannotReplaceVectorsOnServer
        }
        let folder = MigrationFolder(of: directory)
        let lock = try folder.lock()
        defer { lock.release() }
        let manifest = try await StoreManifest.settled(in: directory)
        let space = (try? await embedder.probedSpace()) ?? embedder.space
        try space.requireSupportedDimension()
        var report = Report(from: manifest.space, to: space)
        guard !space.isCompatible(with: manifest.space) else {
            // The folder may remain from a process that ended after it had replaced the vectors.
            try? folder.remove()
            return report
        }
        let storage = try await StoreConfiguration(directory: directory, manifest: manifest).open()
        var collection: KnowledgeStore?
        do {
            let store = try await folder.openStore(space, embedder)
            collection = store
            try await runPhases(storage, VectorCollection(store: store), &report, progress)
        } catch {
            try? await collection?.close()
            try? await storage.close()
            throw error
        }
        // The migration is committed, so errors during the cleanup are ignored.
        try? await collection?.close()
        try? await storage.close()
        try? folder.remove()
        report.isMoved = true
        return report
    }

    private func runPhases(
        _ storage: any StorageProvider, _ collection: VectorCollection, _ report: inout Report,
        _ progress: @Sendable (Progress) -> Void
    ) async throws {
        try await collection.collect(from: storage, &report, progress)
        if makesBackup {
            let backup = try await StoreBackup(directory, backups).createAutomatically()
            report.backup = backup.snapshot.id
        }
        try await collection.collect(from: storage, &report)
        try await VectorReplacement(directory: directory, space: report.to).run(collection, &report)
    }
}
