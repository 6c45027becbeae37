public import Foundation
import RoostFiles
public import RoostModel

extension KnowledgeStore {
    /// The original files of the store; `nil` for a store without a folder.
    public var originals: OriginalStore? { directory.map { OriginalStore(of: $0) } }

    /// Returns the document from which an entry was ingested, byte for byte.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if the store does not contain the entry or its document;
    ///   `ChunkStorageError` with `.corrupt` if the document is damaged; `StorageError`.
    public func original(of id: Entry.ID) async throws -> Data {
        let snapshot = try await storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "entry \(id.text) was not found")
        }
        guard let source = entry.source else {
            throw RoostError(.notFound, "entry \(id.text) has no source and therefore no original file")
        }
        let digest = try await snapshot.sources([source]).first?.documentDigest
        if let digest, let document = try await originals?.document(digest: digest) { return document }
        throw RoostError(
            .notFound,
            "the original file of entry \(id.text), \(SourceDraft.displayName(of: source)), is not stored",
            remedy: .keepOriginals)
    }
}

// MARK: - Export and import

extension KnowledgeStore {
    /// Returns the clusters with the texts of their members. All data belongs to one revision.
    ///
    /// - Parameter withEmbeddings: Whether to include the embeddings of entries and the centroids.
    /// - Throws: `StorageError`.
    @concurrent
    public func exportClusters(withEmbeddings: Bool = false) async throws -> ClusterExport {
        try await ClusterExport(try await storage.snapshot(), withEmbeddings: withEmbeddings)
    }

    /// The maximum number of entries in a map that is shown as a page (``ClusterMap/page()``).
    public static let maximumPageEntries = ClusterMap.maximumPageEntries

    /// Returns a two-dimensional layout of the entries, in which similar entries are near each other.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of entries. If there are more, the map includes entries at regular
    ///     intervals, in the order of their ids.
    ///   - seed: The seed of the layout.
    /// - Throws: ``RoostError`` with `.emptyStore` if there are no entries; `StorageError`;
    ///   `CancellationError`.
    public func clusterMap(limit: Int = .max, seed: UInt64 = 0) async throws -> ClusterMap {
        try await Computation.run { try await ClusterMap.make(storage, limit: limit, seed: seed) }
    }

    /// Writes the entries that match a filter as an ``EntryArchive``. All entries belong to one revision.
    ///
    /// - Parameters:
    ///   - format: The encoding.
    ///   - withEmbeddings: Whether to include vectors.
    ///   - withHeader: Whether JSON Lines begin with a header. It states the version of the format and, if
    ///     vectors are included, their embedding space, as a JSON object does.
    ///   - filter: The filter that entries must match.
    ///   - write: Receives the bytes in order, page by page, on the actor of the caller.
    /// - Throws: `StorageError`; `CancellationError`; any error that `write` throws.
    public func exportEntries(
        _ format: EntryArchive.Format, withEmbeddings: Bool, withHeader: Bool = false,
        filter: EntryFilter = .all, to write: (Data) throws -> Void
    ) async throws {
        let exporter = EntryExporter(
            format: format, space: withEmbeddings ? embedder.space : nil, writesHeader: withHeader)
        try await exporter.export(try await storage.snapshot(), matching: filter, to: write)
    }

    /// Imports an ``EntryArchive``, a JSON array of entries, or the CSV or TSV of exported entries. Ids,
    /// dates, metadata and tags are preserved.
    ///
    /// Vectors are imported if the archive states that they belong to the store's embedding space, or, if it
    /// states no space, if the store's model computes nearly the same vectors for a sample of the entries.
    /// Otherwise, the texts are embedded again. As in an ingest, new entries join the nearest cluster if it
    /// is near enough.
    ///
    /// - **Atomicity**: Commits take place every few hundred entries.
    /// - **Cancellation**: Committed entries stay in the store; the next import of the same archive resumes
    ///   there.
    /// - Parameters:
    ///   - data: The archive.
    ///   - name: The name of the file for error messages.
    ///   - vectors: A NumPy file with the vectors of the rows of a table, in their order.
    ///   - vectorsName: The name of the NumPy file for error messages.
    ///   - ignoringVectors: Whether to embed the texts of all entries that the store does not contain.
    ///   - progress: Called after each commit with the number of entries of the archive that are in the
    ///     store, and the number of all entries.
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`, in which case nothing is imported;
    ///   `EmbedderError`; `StorageError`; `CancellationError`.
    @concurrent
    public func importEntries(
        _ data: Data, name: String, vectors: Data? = nil, vectorsName: String? = nil,
        ignoringVectors: Bool = false, progress: (@Sendable (Int, Int) -> Void)? = nil
    ) async throws -> ImportReport {
        let archive = try await Computation.run {
            try EntryArchive(data, name: name, vectors: vectors, vectorsName: vectorsName)
        }
        return try await EntryImporter.run(
            archive, name: name, ignoringVectors: ignoringVectors, into: self, progress: progress)
    }

    /// Imports the entries of a file, as
    /// ``importEntries(_:name:vectors:vectorsName:ignoringVectors:progress:)`` imports its contents.
    ///
    /// JSON Lines, CSV and TSV are read in pieces, at first to check them. Only the ids and a sample of the
    /// entries are kept in memory. A JSON object or array is read into memory.
    ///
    /// - Parameters:
    ///   - file: A file or pipe with an archive, or with the CSV or TSV of exported entries.
    ///   - ignoringVectors: Whether to embed the texts of all entries that the store does not contain.
    ///   - progress: Called after each commit with the number of entries of the archive that are in the
    ///     store, and the number of all entries.
    /// - Throws: The errors of ``importEntries(_:name:vectors:vectorsName:ignoringVectors:progress:)``;
    ///   ``RoostError`` with `.noInput` if the file cannot be read, or with `.badInput` if it is changed
    ///   during the import.
    @concurrent
    public func importEntries(
        from file: URL, ignoringVectors: Bool = false, progress: (@Sendable (Int, Int) -> Void)? = nil
    ) async throws -> ImportReport {
        let name = file.path
        let archive = try await Computation.run { try EntryArchive(contentsOf: file, name: name) }
        if let archive {
            return try await importEntries(
                archive, name: name, ignoringVectors: ignoringVectors, progress: progress)
        }
        // The file can be a pipe, to which another program writes slowly.
        let data = try await BlockingWork.run { _ in try FileContents.readToEnd(file) }
        return try await importEntries(
            data, name: name, ignoringVectors: ignoringVectors, progress: progress)
    }

    /// Imports an archive that was checked.
    ///
    /// - Throws: The errors of ``importEntries(from:ignoringVectors:progress:)``.
    @concurrent
    package func importEntries(
        _ archive: EntryArchive, name: String, ignoringVectors: Bool,
        progress: (@Sendable (Int, Int) -> Void)?
    ) async throws -> ImportReport {
        try await EntryImporter.run(
            archive, name: name, ignoringVectors: ignoringVectors, into: self, progress: progress)
    }

    /// Checks whether an archive can be imported.
    ///
    /// - Parameters:
    ///   - data: The archive.
    ///   - name: The name of the file for error messages.
    ///   - vectors: A NumPy file with the vectors of the rows of a table.
    ///   - vectorsName: The name of the NumPy file for error messages.
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`; `CancellationError`.
    public static func checkImport(
        _ data: Data, name: String, vectors: Data? = nil, vectorsName: String? = nil
    ) throws {
        _ = try EntryArchive(data, name: name, vectors: vectors, vectorsName: vectorsName)
    }
}
