public import Foundation
import RoostFiles
import RoostJSON
public import RoostModel
import RoostSQLite
public import RoostText

/// A store of text that is searched by meaning and grouped into clusters.
///
///     let store = try await KnowledgeStore.create(in: folder, embedder: embedder)
///     try await store.add("The swift is back above the roof.")
///     let result = try await store.query("birds")
///
/// Safe under any number of tasks and processes. Storage is the truth; what is searched is derived from it
/// and follows its changes.
public struct KnowledgeStore: Sendable {
    /// Where entries and clusters are kept.
    public let storage: any StorageProvider
    /// What turns text into vectors.
    public let embedder: any Embedder
    /// How long texts are split.
    public var splitter = PassageSplitter()
    let catalog: PassageCatalog

    /// A store over any storage, one's own included.
    ///
    /// The caller answers for all vectors in it being of the embedder's space.
    public init(storage: any StorageProvider, embedder: any Embedder) {
        self.storage = storage
        self.embedder = embedder
        catalog = PassageCatalog(storage: storage)
    }

    /// Makes a store in a folder that has none.
    ///
    /// - Throws: ``RoostError`` with `.storeExists`; ``StorageError``.
    public static func create(
        in directory: URL, provider: StoreManifest.Provider = .sqlite, embedder: any Embedder
    ) async throws -> KnowledgeStore {
        do {
            try FileSystem.standard.createFolder(directory)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
        if StoreManifest.exists(in: directory) {
            throw RoostError(.storeExists, "there is a store in \(directory.path) already")
        }
        let manifest = StoreManifest(provider: provider, space: embedder.space)
        let storage = try await openStorage(manifest, directory)
        let stamp = try await storage.snapshot().stamp
        guard stamp.revision == .zero || StoreManifest.exists(in: directory) else {
            try await storage.close()
            throw RoostError(
                .damagedManifest,
                "\(directory.path) has \(stamp.entryCount) entries but no \(StoreManifest.fileName), which "
                    + "says what their vectors are; `roost doctor --repair` writes one")
        }
        try manifest.create(in: directory)
        return KnowledgeStore(storage: storage, embedder: embedder)
    }

    /// Opens a store.
    ///
    /// - Parameter embedder: given the store's space, the embedder for it.
    /// - Throws: ``RoostError``: `.noStore`, `.damagedManifest`, `.newerFormat`, `.foreignStore`,
    ///   `.spaceMismatch`.
    public static func open(
        in directory: URL, embedder: (EmbeddingSpace) throws -> any Embedder
    ) async throws -> KnowledgeStore {
        let manifest = try StoreManifest.read(in: directory)
        let embedder = try embedder(manifest.space)
        guard embedder.space.isCompatible(with: manifest.space) else {
            throw RoostError(
                .spaceMismatch,
                "the store in \(directory.path) has vectors of \(manifest.space); they cannot be "
                    + "compared with those of "
                    + "\(embedder.space): open it with the model that it was made with, or make another store"
            )
        }
        return KnowledgeStore(storage: try await openStorage(manifest, directory), embedder: embedder)
    }

    private static func openStorage(_ manifest: StoreManifest, _ directory: URL) async throws
        -> any StorageProvider
    {
        let lock = directory.appendingPathComponent("lock")
        switch manifest.provider {
        case .sqlite:
            var options = SQLiteStorageProvider.Options()
            options.lockURL = lock
            return try await SQLiteStorageProvider(
                databaseURL: directory.appendingPathComponent("roost.sqlite"), options: options)
        case .json:
            var options = LocalStorageProvider.Options()
            options.lockURL = lock
            return try LocalStorageProvider(
                directory: directory.appendingPathComponent("Storage"), options: options)
        }
    }

    /// Lets go of files and connections.
    public func close() async throws { try await storage.close() }
}
