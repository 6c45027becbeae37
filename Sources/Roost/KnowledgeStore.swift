public import Foundation
import RoostFiles
public import RoostModel
public import RoostText

/// A store of texts that are searched by meaning and grouped into clusters.
///
///     let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM)
///     try await store.add("The swift is back above the roof.")
///     let result = try await store.query("birds")
///
/// A store is a folder, or any `StorageProvider`. Any number of tasks and processes can use one store at
/// the same time. The storage is the source of truth; the structures that searches use are derived from it
/// and follow its changes.
public struct KnowledgeStore: Sendable {
    /// The storage of entries and clusters, for reading. Changes should be made with the store's own methods.
    public let storage: any StorageProvider
    /// The embedder that turns text into vectors.
    public let embedder: any Embedder
    /// The splitter of long texts into passages.
    public var splitter = PassageSplitter()
    /// The place where searches compare vectors, if the store is on a server; `nil` to choose it by the size
    /// of the store (``currentSearchPlace()``).
    public var searchPlace: SearchPlace?
    /// The programs that convert files of remembered folders (``syncedFolders()``) to Markdown, by the
    /// extension of the files. Only a user's settings may name them. The readers of an ingest are those of
    /// its ``RecordReader``.
    public var converters: [String: String] = [:]
    /// The vectors and words of passages, and their indexes.
    let searchCatalog: SearchCatalog
    /// The statistics of vectors in a database.
    let pairStatistics = PairStatisticsCache()
    /// The lines that clustering runs exclude, and the vectors of texts without them.
    let boilerplate: BoilerplateCatalog
    /// The store's folder; `nil` for a store without a folder.
    let directory: URL?
    /// The recorder of commits, if there is one.
    let undoRecorder: UndoRecorder?

    /// Whether the store can only be read, because its folder is on a read-only file system or the permission
    /// to write is missing. Changes then throw `StorageError` with `.readOnly`.
    public var isReadOnly: Bool { directory.map(StoreConfiguration.isReadOnly) ?? false }

    // MARK: Creating and opening

    /// Creates a store that uses the given storage, for example in memory or in the caller's own database.
    ///
    /// - Parameters:
    ///   - storage: The storage. The caller guarantees that all its vectors belong to the embedder's space.
    ///   - embedder: The embedder.
    ///   - undo: Records every commit for ``undo(isDryRun:)``.
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
        searchCatalog = SearchCatalog(storage: storage, directory: directory)
        boilerplate = BoilerplateCatalog(of: directory)
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
                    in: directory, provider: provider, embedder: embedder, recording: undo)
            } catch let error as RoostError where error.code == .storeExists {
                // Another process has created the store in the meantime.
            }
        }
        return try await open(in: directory, recording: undo) { _ in embedder }
    }

    /// Creates a store in a folder that contains none.
    ///
    /// - Parameters:
    ///   - directory: The store's folder, which is created if necessary.
    ///   - provider: The storage backend.
    ///   - embedder: The embedder. If it is remote and cannot be reached now, the store is created anyway.
    ///   - maximumSize: The maximum size of the storage in bytes, beyond which commits throw `.full`; `nil`
    ///     for no limit.
    ///   - undo: Records every commit for ``undo(isDryRun:)``.
    /// - Throws: ``RoostError`` with `.storeExists`, with `.configuration` if the maximum size is negative,
    ///   stores do not support the dimension or the folder is inside that of another store, or with
    ///   `.damagedManifest` if the folder contains entries but no manifest; `StorageError`.
    @concurrent
    public static func create(
        in directory: URL, provider: StoreManifest.Provider = .sqlite, embedder: any Embedder,
        maximumSize: Int? = nil, recording undo: UndoRecorder? = nil
    ) async throws -> KnowledgeStore {
        try StoreManifest.check(maximumSize: maximumSize)
        try StoreManifest.requireOutsideOfStores(directory)
        return try await createAnywhere(
            in: directory, provider: provider, embedder: embedder, maximumSize: maximumSize, recording: undo)
    }

    /// Creates a store in a folder that can be a part of another store's folder.
    ///
    /// - Throws: ``RoostError`` with `.storeExists`, `.configuration` or `.damagedManifest`; `StorageError`.
    @concurrent
    static func createAnywhere(
        in directory: URL, provider: StoreManifest.Provider = .sqlite, embedder: any Embedder,
        maximumSize: Int? = nil, recording undo: UndoRecorder? = nil
    ) async throws -> KnowledgeStore {
        try StorageError.mappingFileErrors { try FileSystem.standard.createFolder(directory) }
        if StoreManifest.exists(in: directory) { throw RoostError.storeExists(in: directory) }
        let space = (try? await embedder.probedSpace()) ?? embedder.space
        try space.requireSupportedDimension()
        var manifest = StoreManifest(provider: provider, space: space, maximumSize: maximumSize)
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        let existing = StoreIdentity(configuration: configuration).withExistingStorage
        guard provider == .postgres || existing.manifest.provider == provider else {
            throw RoostError(
                .damagedManifest,
                "cannot create a store in \(directory.path): it contains entries in \(existing.storagePath), "
                    + "but \(StoreManifest.fileName), which names the model of their vectors, is missing",
                remedy: .repairStore)
        }
        let storage = try await configuration.open(recording: undo)
        do {
            let stamp = try await storage.snapshot().stamp
            guard stamp.revision == .zero || StoreManifest.exists(in: directory) else {
                throw RoostError(
                    .damagedManifest,
                    "cannot create a store in \(directory.path): it contains \(stamp.entryCount) entries, "
                        + "but \(StoreManifest.fileName), which names the model of their vectors, is missing",
                    remedy: .repairStore)
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
    /// - Parameters:
    ///   - directory: The store's folder.
    ///   - undo: Records every commit for ``undo(isDryRun:)``.
    ///   - embedder: Returns the embedder for the store's embedding space. Opening a model takes time, so the
    ///     function is not called on the actor of the caller.
    /// - Throws: ``RoostError`` with `.noStore`, `.damagedManifest`, `.newerFormat` or `.spaceMismatch`;
    ///   `StorageError`; any error that `embedder` throws.
    @concurrent
    public static func open(
        in directory: URL, recording undo: UndoRecorder? = nil,
        embedder: @Sendable (EmbeddingSpace) throws -> any Embedder
    ) async throws -> KnowledgeStore {
        let manifest = try await StoreManifest.settled(in: directory)
        // Opening a model takes about as long as opening a storage, so both are opened at the same time.
        async let opened = StoreConfiguration(directory: directory, manifest: manifest).open(recording: undo)
        let model: any Embedder
        do {
            model = try Self.model(for: manifest.space, of: directory, embedder)
        } catch {
            try? await opened.close()
            throw error
        }
        let storage = try await opened
        return KnowledgeStore(
            storage: storage.requiring(manifest.space, in: directory),
            embedder: model, directory: directory, undoRecorder: undo)
    }

    /// Returns the embedder for a store's space.
    ///
    /// - Throws: ``RoostError`` with `.spaceMismatch`; the errors of `embedder`.
    private static func model(
        for space: EmbeddingSpace, of directory: URL, _ embedder: (EmbeddingSpace) throws -> any Embedder
    ) throws -> any Embedder {
        let embedder = try embedder(space)
        guard embedder.space.isCompatible(with: space) else {
            throw RoostError(
                .spaceMismatch,
                "cannot open the store in \(directory.path) with \(embedder.space): its vectors belong to "
                    + "\(space), and vectors of different models cannot be compared",
                remedy: .reembed)
        }
        return embedder
    }

    /// Closes files and connections.
    ///
    /// - Throws: `StorageError` with `.inputOutput`. The store is closed even if an error is thrown.
    public func close() async throws { try await storage.close() }

    // MARK: Entries

    /// Adds a text unless the store contains an equal text: one that was added before, the new text of a
    /// changed entry, or the whole text of an ingested entry. The equal entry gets the tags and metadata.
    /// Messages of conversations do not count.
    ///
    /// - Returns: The entry, and whether it is new.
    /// - Throws: ``RoostError`` with `.badInput` for an empty or too large text, or for metadata that stores
    ///   reject; `EmbedderError`; `StorageError`.
    @discardableResult
    public func add(
        _ content: String, tags: [String] = [], metadata: [String: MetadataValue] = [:]
    ) async throws -> AddedEntry {
        try await TextAddition.run(content, tags: tags, metadata: metadata, to: self)
    }

    /// Adds a text with a key, or replaces the text of the entry with this key.
    ///
    ///     try await store.add("milk, bread", key: "shopping list")
    ///     try await store.add("milk, bread, tea", key: "shopping list")   // the same entry
    ///
    /// The entry keeps its id, its dates of creation, and its tags and metadata; those of the call are added.
    ///
    /// - Parameter key: The name of the text, of at most 1,000 bytes. ``id(ofKey:)`` is the id of its entry.
    /// - Returns: The entry, and whether it is new.
    /// - Throws: ``RoostError`` with `.badInput` for an empty or too large text, an invalid key, or metadata
    ///   that stores reject; `EmbedderError`; `StorageError`.
    @discardableResult
    public func add(
        _ content: String, key: String, tags: [String] = [], metadata: [String: MetadataValue] = [:]
    ) async throws -> AddedEntry {
        try await TextAddition.run(content, key: key, tags: tags, metadata: metadata, to: self)
    }

    /// Returns the reason why a text cannot be added with a key; `nil` if it can.
    package static func fault(ofKey key: String) -> String? { TextAddition.fault(ofKey: key) }

    /// Returns the id of the entry of a text that is added with a key. The store need not contain it.
    public static func id(ofKey key: String) -> Entry.ID {
        EntryID.derived(source: TextAddition.defaultSource, key: key)
    }

    /// Adds a text unless an entry that the caller may see has an equal text.
    ///
    /// A hidden entry with an equal text is not changed; a separate entry is added.
    ///
    /// - Parameters:
    ///   - ownSource: The source of added texts, for a caller that sees only a part of the store; `nil` for
    ///     the source of ``add(_:tags:metadata:)``.
    ///   - visible: The entries that the caller may see and change.
    /// - Returns: The entry, and whether it is new.
    /// - Throws: The errors of ``add(_:tags:metadata:)``.
    package func add(
        _ content: String, tags: [String], metadata: [String: MetadataValue], ownSource: Source.ID?,
        among visible: EntryFilter
    ) async throws -> AddedEntry {
        try await TextAddition.run(
            content, tags: tags, metadata: metadata, to: self, ownSource: ownSource, among: visible)
    }

    /// Returns the id of the entry that a call of ``add(_:tags:metadata:ownSource:among:)`` would return if
    /// the store contains an equal text; `nil` if the call would add an entry.
    ///
    /// - Throws: `EmbedderError`; `StorageError`.
    package func equalEntry(
        to content: String, ownSource: Source.ID?, among visible: EntryFilter
    ) async throws -> Entry.ID? {
        try await TextAddition.existingEntry(content, in: self, ownSource: ownSource, among: visible)?.id
    }

    /// Removes an entry. It is not an error if the store does not contain it.
    ///
    /// - Returns: The number of entries that were removed, 0 or 1.
    /// - Throws: `StorageError`.
    @discardableResult
    public func remove(_ id: Entry.ID) async throws -> Int { try await remove([id]) }

    /// Removes entries, and optionally the records of their sources, in one commit.
    ///
    /// Ids that the store does not contain are ignored.
    ///
    /// - Parameters:
    ///   - ids: The ids of the entries.
    ///   - sources: The ids of source records to remove. The next ingest treats a source without a record as
    ///     new.
    /// - Returns: The number of entries that were removed.
    /// - Throws: `StorageError`.
    @discardableResult
    public func remove(_ ids: [Entry.ID], sources: [Source.ID] = []) async throws -> Int {
        try await EntryEditor(store: self).remove(ids, sources: sources)
    }

    /// Removes the entries that match a filter, in one commit.
    ///
    /// - Returns: The number of entries that were removed.
    /// - Throws: `StorageError`.
    @discardableResult
    public func remove(matching filter: EntryFilter) async throws -> Int {
        try await EntryEditor(store: self).remove(matching: filter)
    }

    /// Returns an entry; `nil` if the store does not contain it.
    ///
    /// - Throws: `StorageError`.
    public func entry(_ id: Entry.ID) async throws -> Entry? {
        try await storage.snapshot().entries([id]).first
    }

    /// Returns the revision of the last change of an entry, which ``update(_:_:expecting:)`` and
    /// ``remove(_:expecting:)`` can expect; `nil` if the store does not contain the entry.
    ///
    /// Call it before ``entry(_:)``. A change between the two calls then leads to a conflict, and is not
    /// overwritten.
    ///
    /// - Throws: `StorageError`.
    public func revision(of id: Entry.ID) async throws -> Revision? {
        try await storage.snapshot().revisions(of: [id])[id]
    }

    /// Returns the number of entries that match a filter.
    ///
    /// - Throws: `StorageError`.
    public func count(matching filter: EntryFilter = .all) async throws -> Int {
        let snapshot = try await storage.snapshot()
        return filter.matchesAll
            ? snapshot.stamp.entryCount : try await snapshot.rows(matching: filter).count
    }

    /// Returns the entries that match a filter, oldest first.
    ///
    ///     for try await entry in store.entries(matching: [.tag("draft")]) {
    ///         print(entry.content)
    ///     }
    ///
    /// Entries are read page by page, but all belong to one revision: the current one when an iterator's
    /// first entry is requested. The iterator throws `StorageError` or `CancellationError`.
    public func entries(matching filter: EntryFilter = .all) -> EntrySequence {
        storage.allEntries(matching: filter)
    }
}
