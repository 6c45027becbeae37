public import Foundation
public import RoostEncoders
import RoostFiles
public import RoostModel

/// A store of texts that are searched by meaning and grouped into clusters.
///
///     let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM)
///     try await store.add("The swift is back above the roof.")
///     let result = try await store.search("birds")
///
/// A store is a folder, or any `StorageProvider`. Any number of tasks and processes can use one store at
/// the same time. The storage is the source of truth; the structures that searches use are derived from it
/// and follow its changes.
public struct KnowledgeStore: Sendable {
    /// The storage of entries and clusters, for reading. Changes should be made with the store's own methods.
    public let storage: any StorageProvider
    /// The embedder that turns text into vectors.
    public let embedder: any Embedder
    /// The settings of this value, which are not stored.
    public var settings = StoreSettings()
    let searchCatalog: SearchCatalog
    let pairStatistics = PairStatisticsCache()
    /// The lines that clustering runs exclude, and the vectors of texts without them.
    let boilerplate: BoilerplateCatalog
    let directory: URL?
    /// The folder with the search index; `nil` for a store without a folder.
    let indexFolder: IndexFolder?
    let undoRecorder: UndoRecorder?

    /// Whether the store can only be read, because its folder is on a read-only file system or the permission
    /// to write is missing. Changes then throw `StorageError` with `.readOnly`.
    public var isReadOnly: Bool { directory.map { !FileSystem.isWritable($0) } ?? false }

    // MARK: Areas

    /// The clusters: read, edit, label and export them. ``recluster(clusters:granularity:maximumOutliers:``
    /// ``seed:among:ignoringPreviousRun:isDryRun:progress:)`` makes them.
    public var clusters: StoreClusters {
        StoreClusters(storage: storage, boilerplate: (embedder, boilerplate))
    }

    /// The folders that the store remembers and keeps itself up to date with.
    public var folders: StoreFolders { StoreFolders(store: self) }

    /// The search index.
    public var index: StoreIndex { StoreIndex(store: self) }

    /// The links between the current entries.
    ///
    /// - Throws: `StorageError`.
    public var links: LinkGraph {
        get async throws { try await Computation.run { try await LinkGraph(storage.snapshot()) } }
    }

    /// The original files of the store; `nil` for a store without a folder.
    public var originals: OriginalStore? { directory.map { OriginalStore(of: $0) } }

    package var entryEmbedder: EntryEmbedder { EntryEmbedder(embedder: embedder) }

    // MARK: Creating and opening

    /// Opens a model, and creates a store that uses the given storage, for example one of your own.
    ///
    ///     let store = try await KnowledgeStore(storage: mine, model: .miniLM)
    ///
    /// - Parameters:
    ///   - storage: The storage. The caller guarantees that all its vectors belong to the model.
    ///   - model: The embedding model.
    ///   - undo: Records every commit for ``undo(isDryRun:)``.
    /// - Throws: `EmbedderError` if the model is missing or damaged.
    @concurrent
    public init(
        storage: any StorageProvider, model: EmbeddingModel, recording undo: UndoRecorder? = nil
    ) async throws {
        self.init(storage: storage, embedder: try model.makeEmbedder(), recording: undo)
    }

    /// Creates a store that uses the given storage and an open embedder, to which all its vectors belong.
    public init(
        storage: any StorageProvider, embedder: any Embedder, recording undo: UndoRecorder? = nil
    ) {
        let storage: any StorageProvider =
            if let undo { storage.recording(undo, keeping: nil) } else { storage }
        self.init(storage: storage, embedder: embedder, directory: nil, undoRecorder: undo)
    }

    private init(
        storage: any StorageProvider, embedder: any Embedder, directory: URL?, undoRecorder: UndoRecorder?
    ) {
        self.storage = storage
        self.embedder = embedder
        self.directory = directory
        self.undoRecorder = undoRecorder
        indexFolder = directory.map { IndexFolder(of: $0) }
        searchCatalog = SearchCatalog(storage: storage, folder: indexFolder)
        boilerplate = BoilerplateCatalog(in: indexFolder)
    }

    /// Opens the store in a folder, or creates one if the folder contains none.
    ///
    /// - Parameters:
    ///   - directory: The store's folder, which is created if necessary.
    ///   - model: The embedding model. An existing store must have been created with the same model.
    ///   - provider: The storage backend of a new store.
    ///   - undo: Records every commit for ``undo(isDryRun:)``.
    /// - Throws: ``RoostError``, with `.spaceMismatch` if the store has vectors of another model;
    ///   `EmbedderError` if the model is missing or damaged; `StorageError`.
    @concurrent
    public static func openOrCreate(
        at directory: URL, model: EmbeddingModel = .miniLM, provider: StoreManifest.Provider = .sqlite,
        recording undo: UndoRecorder? = nil
    ) async throws -> KnowledgeStore {
        let embedder = try model.makeEmbedder()
        if !StoreManifest.exists(in: directory) {
            do {
                return try await create(
                    at: directory, provider: provider, embedder: embedder, recording: undo)
            } catch let error as RoostError where error.code == .storeExists {
                // Another process has created the store in the meantime.
            }
        }
        return try await open(at: directory, recording: undo) { _ in embedder }
    }

    /// Creates a store in a folder that contains none.
    ///
    /// - Parameters:
    ///   - directory: The store's folder, which is created if necessary.
    ///   - embedder: The embedder. If it is remote and cannot be reached now, the store is created anyway.
    ///   - maximumSize: The maximum size of the storage in bytes, beyond which commits throw `.full`; `nil`
    ///     for no limit.
    /// - Throws: ``RoostError`` with `.storeExists`, with `.configuration` if the maximum size is negative,
    ///   stores do not support the dimension or the folder is inside that of another store, or with
    ///   `.damagedManifest` if the folder contains entries but no manifest; `StorageError`.
    @concurrent
    public static func create(
        at directory: URL, provider: StoreManifest.Provider = .sqlite, embedder: any Embedder,
        maximumSize: Int? = nil, recording undo: UndoRecorder? = nil
    ) async throws -> KnowledgeStore {
        try StoreManifest.check(maximumSize: maximumSize)
        try StoreManifest.requireOutsideOfStores(directory)
        return try await createAnywhere(
            at: directory, provider: provider, embedder: embedder, maximumSize: maximumSize, recording: undo)
    }

    /// Creates a store in a folder that can be a part of another store's folder.
    @concurrent
    static func createAnywhere(
        at directory: URL, provider: StoreManifest.Provider = .sqlite, embedder: any Embedder,
        maximumSize: Int? = nil, recording undo: UndoRecorder? = nil
    ) async throws -> KnowledgeStore {
        try StorageError.mappingFileErrors { try FileSystem.standard.createFolder(directory) }
        if StoreManifest.exists(in: directory) { throw RoostError.storeExists(in: directory) }
        let space = (try? await embedder.probedSpace()) ?? embedder.space
        try space.requireSupportedDimension()
        var manifest = StoreManifest(provider: provider, space: space, maximumSize: maximumSize)
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        let existing = configuration.withExistingStorage
        guard provider == .postgres || existing.manifest.provider == provider else {
            throw RoostError.lostManifest(in: directory, "entries in \(existing.storagePath)")
        }
        let storage = try await configuration.open(recording: undo)
        do {
            let stamp = try await storage.snapshot().stamp
            guard stamp.revision == .zero || StoreManifest.exists(in: directory) else {
                throw RoostError.lostManifest(in: directory, "\(stamp.entryCount) entries")
            }
            // A JSON storage gets its permanent id when it writes its first files.
            if provider == .json, stamp.revision == .zero { try await storage.compact() }
            manifest.store = try await storage.snapshot().stamp.store
            try manifest.create(in: directory)
        } catch {
            // Another process can have created the store in the meantime.
            try? await storage.close()
            throw error
        }
        return KnowledgeStore(
            storage: storage.requiring(embedder.space, in: directory),
            embedder: embedder, directory: directory, undoRecorder: undo)
    }

    /// Opens the store in a folder.
    ///
    /// The storage is opened while `embedder` runs, so an older storage format is migrated even if
    /// `embedder` throws. In that case, the storage is closed again.
    ///
    /// If another process migrates the store to another model later, all further calls throw
    /// `.spaceMismatch`.
    ///
    /// - Parameter embedder: Returns the embedder for the store's embedding space. Opening a model takes time,
    ///   so the function is not called on the actor of the caller.
    /// - Throws: ``RoostError`` with `.noStore`, `.damagedManifest`, `.newerFormat` or `.spaceMismatch`;
    ///   `StorageError`; any error that `embedder` throws.
    @concurrent
    public static func open(
        at directory: URL, recording undo: UndoRecorder? = nil,
        embedder: @Sendable (EmbeddingSpace) throws -> any Embedder
    ) async throws -> KnowledgeStore {
        let manifest = try await StoreManifest.settled(in: directory)
        // Opening a model takes about as long as opening a storage, so both are opened at the same time.
        async let opened = StoreConfiguration(directory: directory, manifest: manifest).open(recording: undo)
        let model: any Embedder
        do {
            model = try embedder(manifest.space)
            guard model.space.isCompatible(with: manifest.space) else {
                throw RoostError(
                    .spaceMismatch,
                    "cannot open the store in \(directory.path) with \(model.space): its vectors belong to "
                        + "\(manifest.space), and vectors of different models cannot be compared",
                    remedy: .reembed)
            }
        } catch {
            try? await opened.close()
            throw error
        }
        let storage = try await opened
        return KnowledgeStore(
            storage: storage.requiring(manifest.space, in: directory),
            embedder: model, directory: directory, undoRecorder: undo)
    }

    /// Closes files and connections.
    ///
    /// - Throws: `StorageError` with `.inputOutput`. The store is closed even if an error is thrown.
    public func close() async throws { try await storage.close() }
}

/// Settings that a program chooses when it opens a store.
public struct StoreSettings: Sendable {
    /// The place where searches compare vectors, if the store is on a server; `nil` to choose it by the
    /// size of the store (``StoreIndex/place()``).
    public var searchPlace: SearchPlace?
    /// The programs that convert files of remembered folders (``StoreFolders``) to Markdown, by the
    /// extension of the files. Only a user's settings may name them. The readers of an ingest are those
    /// of its ``RecordReader``.
    public var converters: [String: String] = [:]

    /// Creates the default settings.
    public init() {}
}
