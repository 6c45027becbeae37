public import Foundation
import RoostDocuments
import RoostModel

/// The texts in a database of another program: that of `llm`, or that of Chroma.
public struct TextArchive: Sendable {
    private let collections: [(source: String, records: [ImportedText])]
    let name: String
    /// The number of vectors whose texts the database does not contain. They cannot be imported.
    public let recordsWithoutText: Int

    private static let chromaDatabase = "chroma.sqlite3"

    /// Reads the database of embeddings of the program `llm`, a folder of Chroma 1.x, or the file
    /// `chroma.sqlite3` in it.
    ///
    /// - Returns: `nil` if there is another file or folder.
    /// - Throws: `StorageError` or ``RoostError`` with `.badInput` if the database is damaged.
    public init?(contentsOf url: URL) throws {
        let url = url.standardizedFileURL
        let folder = url.lastPathComponent == Self.chromaDatabase ? url.deletingLastPathComponent() : url
        let chroma = ChromaDatabase(folder.appendingPathComponent(Self.chromaDatabase))
        let llm = LLMDatabase(url)
        if chroma.isPresent {
            self.init(try chroma.collections(), "chroma:" + folder.path)
        } else if llm.isPresent {
            self.init(try llm.collections(), "llm:" + url.path)
        } else if FileManager.default.fileExists(atPath: chroma.url.path) {
            throw RoostError(
                .badInput,
                "cannot import \(folder.path): its \(Self.chromaDatabase) is damaged, or not from Chroma 1.x")
        } else {
            return nil
        }
    }

    private init(_ found: [ImportedCollection], _ name: String) {
        self.name = name
        collections = found.map { collection in
            let part = collection.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return (name + "#" + part, collection.records)
        }
        recordsWithoutText = found.reduce(0) { $0 + $1.recordsWithoutText }
    }

    init(_ records: [ImportedText], source: String) {
        (collections, name) = ([(source, records)], source)
        recordsWithoutText = 0
    }

    func entries(now: Date) -> [Entry] {
        collections.flatMap { collection in
            collection.records.map { record in
                let fields = RowFields(record.metadata)
                // A date that a store would reject counts as unknown.
                func first(_ dates: Date?...) -> Date? {
                    dates.lazy.compactMap(\.self).first(where: \.isWritable)
                }
                let updated = first(fields.updatedAt, record.updatedAt, fields.createdAt) ?? now
                return Entry(
                    id: EntryID.derived(source: collection.source, key: record.key), content: record.text,
                    source: collection.source, key: record.key,
                    metadata: DocumentKey.withoutMessageMark(fields.metadata), tags: fields.tags,
                    createdAt: first(fields.createdAt) ?? updated, updatedAt: updated)
            }
        }
    }
}
