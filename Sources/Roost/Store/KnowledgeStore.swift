public import Foundation
import RoostFiles
public import RoostModel
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
    let catalog: DerivedCatalog<PassageContents>
    let wordCatalog: DerivedCatalog<TextContents>
    /// The store's folder, where it has one.
    let directory: URL?

    /// A store over any storage, one's own included.
    ///
    /// The caller answers for all vectors in it being of the embedder's space.
    public init(storage: any StorageProvider, embedder: any Embedder) {
        self.init(storage: storage, embedder: embedder, directory: nil)
    }

    private init(storage: any StorageProvider, embedder: any Embedder, directory: URL?) {
        self.storage = storage
        self.embedder = embedder
        self.directory = directory
        catalog = DerivedCatalog(storage: storage, directory: directory)
        wordCatalog = DerivedCatalog(storage: storage, directory: directory)
    }

    /// Makes a store in a folder that has none.
    ///
    /// - Parameters:
    ///   - maximumSize: the most bytes that the storage may take; a commit beyond throws `.full`.
    ///   - undo: writes down how to take back what is committed.
    /// - Throws: ``RoostError`` with `.storeExists`; ``StorageError``.
    public static func create(
        in directory: URL, provider: StoreManifest.Provider = .sqlite, embedder: any Embedder,
        maximumSize: Int? = nil, recording undo: UndoRecorder? = nil
    ) async throws -> KnowledgeStore {
        do {
            try FileSystem.standard.createFolder(directory)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
        if StoreManifest.exists(in: directory) {
            throw RoostError(.storeExists, "there is a store in \(directory.path) already")
        }
        // A model that cannot be asked now makes a store all the same.
        let space = (try? await embedder.probedSpace()) ?? embedder.space
        let manifest = StoreManifest(provider: provider, space: space, maximumSize: maximumSize)
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        let storage = try await configuration.open(recording: undo)
        let stamp = try await storage.snapshot().stamp
        guard stamp.revision == .zero || StoreManifest.exists(in: directory) else {
            try await storage.close()
            throw RoostError(
                .damagedManifest,
                "\(directory.path) has \(stamp.entryCount) entries but no \(StoreManifest.fileName), which "
                    + "says what their vectors are; `roost doctor --repair` writes one")
        }
        try manifest.create(in: directory)
        return KnowledgeStore(
            storage: storage.keeping(to: embedder.space, of: directory), embedder: embedder,
            directory: directory)
    }

    /// Opens a store.
    ///
    /// Where another process moves the store to another model later, what is called here throws
    /// `.spaceMismatch` from then on.
    /// - Parameters:
    ///   - undo: writes down how to take back what is committed.
    ///   - embedder: given the store's space, the embedder for it.
    /// - Throws: ``RoostError``: `.noStore`, `.damagedManifest`, `.newerFormat`, `.foreignStore`,
    ///   `.spaceMismatch`; ``StorageError``.
    public static func open(
        in directory: URL, recording undo: UndoRecorder? = nil,
        embedder: (EmbeddingSpace) throws -> any Embedder
    ) async throws -> KnowledgeStore {
        let manifest = try await StoreManifest.settled(in: directory)
        let embedder = try embedder(manifest.space)
        guard embedder.space.isCompatible(with: manifest.space) else {
            throw RoostError(
                .spaceMismatch,
                "the store in \(directory.path) has vectors of \(manifest.space); they cannot be compared "
                    + "with those of \(embedder.space): open it with the model that it was made with, or "
                    + "move it to this one with `roost reembed`")
        }
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        let storage = try await configuration.open(recording: undo)
        return KnowledgeStore(
            storage: storage.keeping(to: manifest.space, of: directory), embedder: embedder,
            directory: directory)
    }

    /// Source documents, byte for byte; `nil` for a store without a folder.
    public var originals: OriginalStore? { directory.map { OriginalStore(of: $0) } }

    /// The document that an entry came from, byte for byte as it was when it was ingested.
    ///
    /// - Throws: ``RoostError`` with `.notFound` where there is no such entry, or its document is not kept;
    ///   ``ChunkStorageError`` with `.corrupt` where it is not what it was; ``StorageError``.
    public func original(of id: Entry.ID) async throws -> Data {
        let snapshot = try await storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "there is no entry \(id.text)")
        }
        let source = entry.source ?? "no source"
        let digest = try await snapshot.sources([source]).first?.documentDigest
        if let digest, let document = try await originals?.document(digest: digest) { return document }
        let place = URL(string: source).flatMap { $0.isFileURL ? $0.path : nil } ?? source
        throw RoostError(
            .notFound,
            "the document of entry \(id.text) is not kept: it came from \(place); "
                + "`roost ingest --keep-originals` keeps files")
    }

    /// Gives back space: of the storage, and of documents that nothing names any more.
    ///
    /// - Throws: ``StorageError``; ``ChunkStorageError``.
    public func compact() async throws {
        try await storage.compact()
        guard let directory, let originals else { return }
        try await originals.removeUnneeded(by: storage, in: directory)
    }

    /// Lets go of files and connections.
    public func close() async throws { try await storage.close() }
}
