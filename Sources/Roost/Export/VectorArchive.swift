public import Foundation
package import RoostModel
import RoostSQLite

/// Texts with vectors that another program computed: a database of `llm`, a folder of Chroma, or JSON, CSV
/// or TSV.
public struct VectorArchive: Sendable {
    /// The texts that one model embedded.
    struct Collection: Sendable {
        /// The id of the source of the entries.
        var source: String
        /// The texts with their vectors.
        var records: [VectorRecord]
    }

    /// The collections, in the order of the file.
    let collections: [Collection]
    /// The number of vectors whose texts the file does not contain. They cannot be imported.
    public let recordsWithoutText: Int

    /// The number of texts.
    public var count: Int { collections.reduce(0) { $0 + $1.records.count } }
    /// Whether a text has a vector.
    package var hasVectors: Bool {
        collections.contains { $0.records.contains { !$0.vector.isEmpty } }
    }

    /// Reads the database of embeddings of the program `llm`.
    ///
    /// - Returns: `nil` if the file is another database or no database.
    /// - Throws: `StorageError` if the database is damaged.
    public init?(database url: URL) throws {
        let database = LLMDatabase(url)
        guard database.isPresent else { return nil }
        let found = try database.collections()
        collections = found.map { collection in
            let name = collection.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return Collection(
                source: "llm:" + url.standardizedFileURL.path + "#" + name, records: collection.records)
        }
        recordsWithoutText = found.reduce(0) { $0 + $1.recordsWithoutText }
    }

    /// Creates an archive of one collection.
    package init(_ records: [VectorRecord], source: String) {
        collections = [Collection(source: source, records: records)]
        recordsWithoutText = 0
    }

    /// Reads a folder of Chroma 1.x: its database and the indexes of its collections.
    ///
    /// - Parameters:
    ///   - folder: The folder, or the file `chroma.sqlite3` in it.
    ///   - ignoringVectors: Whether to read only the texts.
    /// - Returns: `nil` if the folder is not one of Chroma.
    /// - Throws: `StorageError` if the database is damaged; ``RoostError`` with `.badInput` if an index is.
    public init?(chroma folder: URL, ignoringVectors: Bool) throws {
        let isFile = folder.lastPathComponent == Self.chromaDatabase
        let folder = (isFile ? folder.deletingLastPathComponent() : folder).standardizedFileURL
        let database = ChromaDatabase(folder.appendingPathComponent(Self.chromaDatabase))
        guard database.isPresent else { return nil }
        let found = try database.collections()
        collections = try found.map { collection in
            let vectors =
                ignoringVectors
                ? [:] : try Self.vectors(of: collection, in: folder)
            let records = collection.records.map { record in
                var record = record
                record.vector = vectors[record.key] ?? []
                return record
            }
            let name = collection.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return Collection(source: "chroma:" + folder.path + "#" + name, records: records)
        }
        recordsWithoutText = found.reduce(0) { $0 + $1.recordsWithoutText }
    }

    /// The name of Chroma's database in its folder.
    private static let chromaDatabase = "chroma.sqlite3"

    /// Returns the vectors of a collection by their ids: those of the index, with the later changes.
    private static func vectors(
        of collection: ChromaDatabase.Collection, in folder: URL
    ) throws -> [String: [Float]] {
        var vectors: [String: [Float]] = [:]
        if let index = collection.index {
            let path = folder.appendingPathComponent(index.uuidString.lowercased())
            vectors = try ChromaIndex(folder: path).vectors()
        }
        for change in collection.changes {
            switch change.kind {
            case .delete: vectors[change.key] = nil
            case .add where vectors[change.key] != nil: break
            case .add, .update, .upsert:
                if let vector = change.vector { vectors[change.key] = vector }
            }
        }
        return vectors
    }

    /// Returns whether the rows of a file are in a JSON document, if they have a text (`text`, `content` or
    /// `document`), but no vector; `nil` for other files.
    ///
    /// - Parameter name: The name of the file.
    package static func rowsWithoutVectors(in data: Data, name: String) -> Bool? {
        VectorText.rowsWithoutVectors(in: data, name: name)
    }

    /// Returns whether a file has rows in JSON that are no exported entries and have no text.
    ///
    /// - Parameter name: The name of the file.
    package static func hasRowsWithoutText(_ data: Data, name: String) -> Bool {
        VectorText.hasRowsWithoutText(data, name: name)
    }

    /// Returns whether a file is one JSON object in several lines, without the list of exported entries.
    package static func isOtherObject(_ data: Data) -> Bool { VectorText.isOtherObject(data) }

    /// Reads JSON Lines, a JSON array, CSV or TSV whose rows have a text (`text`, `content` or `document`)
    /// and a vector (`embedding` or `vector`), and optionally an id (`id` or `key`). Other values become
    /// metadata.
    ///
    /// The array can be a member of an object, such as `data`. An object with the lists `documents`,
    /// `embeddings`, `ids` and `metadatas`, as Chroma returns it, is read too. Texts that are null are
    /// counted in ``recordsWithoutText``.
    ///
    /// - Parameters:
    ///   - data: The contents of a file.
    ///   - name: The name of the file.
    ///   - source: The id of the source of the entries.
    ///   - progress: Receives the share of the rows that are read, from 0 to 1.
    /// - Returns: `nil` if the rows have no texts or no vectors.
    /// - Throws: ``RoostError`` with `.badInput`; `CancellationError`.
    public init?(
        _ data: Data, name: String, source: String, progress: ((_ fraction: Double) -> Void)? = nil
    ) throws {
        guard let text = VectorText(data, name: name) else { return nil }
        let (records, withoutText) = try text.records(progress)
        collections = [Collection(source: source, records: records)]
        recordsWithoutText = withoutText
    }
}

extension KnowledgeStore {
    /// Imports texts that another program embedded. Their ids are derived from the source and the id in the
    /// other program, so that another import of the same file changes nothing.
    ///
    /// The vectors of a collection are imported if they belong to the store's embedding space: they have its
    /// dimension, and the store's model computes nearly the same vectors for a sample of the texts.
    /// Otherwise, the texts are embedded.
    ///
    /// - **Atomicity**: Commits take place every few hundred entries.
    /// - **Cancellation**: Committed entries stay in the store; the next import of the same archive resumes
    ///   there.
    /// - Parameters:
    ///   - archive: The texts, with or without vectors.
    ///   - ignoringVectors: Whether to embed all texts.
    ///   - progress: Called after each commit with the number of texts that are in the store, and the number
    ///     of all texts.
    /// - Throws: ``RoostError`` with `.badInput`, in which case nothing is imported; `EmbedderError`;
    ///   `StorageError`; `CancellationError`.
    @concurrent
    public func importVectors(
        _ archive: VectorArchive, ignoringVectors: Bool = false,
        progress: (@Sendable (Int, Int) -> Void)? = nil
    ) async throws -> VectorImportReport {
        try await VectorImporter(store: self).run(archive, ignoringVectors: ignoringVectors, progress)
    }
}
