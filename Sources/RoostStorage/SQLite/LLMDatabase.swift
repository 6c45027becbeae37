package import Foundation
import GRDB
package import RoostModel

/// Reads the texts in the database of embeddings of the program `llm`
/// (https://llm.datasette.io/en/stable/embeddings/).
///
/// The database may come from anybody: functions in its schema are not run, and the sizes of values are
/// limited.
package struct LLMDatabase: ImportedDatabase, Sendable {
    /// The maximum size of the metadata of a text, in bytes.
    private static let maximumMetadataSize = 1 << 20
    /// The maximum size of a text in bytes, more than that of a long book.
    private static let maximumTextSize = 64 << 20

    private static let tables = ["collections", "embeddings"]

    let url: URL

    /// Creates a reader for a database file.
    package init(_ url: URL) { self.url = url }

    /// Returns whether a file is such a database.
    package var isPresent: Bool {
        (try? read { database in try Self.tables.allSatisfy { try database.tableExists($0) } }) ?? false
    }

    /// Returns the collections of the database, in the order of their ids.
    ///
    /// - Throws: `StorageError` with `.invalidBatch` if the database has other tables, views or computed
    ///   columns instead of these tables.
    package func collections() throws -> [ImportedCollection] {
        do {
            return try read { database in
                try checkTables(Self.tables, database)
                let rows = try Row.fetchAll(
                    database, sql: "SELECT id, name FROM collections ORDER BY id")
                return try rows.map { row in
                    guard let id = Int.fromDatabaseValue(row["id"]),
                        let name = String.fromDatabaseValue(row["name"])
                    else { throw failure("a collection has no name") }
                    return try collection(id, named: name, database)
                }
            }
        } catch let error as DatabaseError {
            throw failure(error.message ?? "the tables of llm are missing or damaged")
        }
    }

    private func collection(
        _ id: Int, named name: String, _ database: Database
    ) throws -> ImportedCollection {
        var collection = ImportedCollection(name: name)
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, content, metadata, updated FROM embeddings
                WHERE collection_id = ? AND coalesce(length(content), 0) <= ?
                AND coalesce(length(metadata), 0) <= ? ORDER BY id
                """,
            arguments: [id, Self.maximumTextSize, Self.maximumMetadataSize])
        while let row = try rows.next() {
            guard let text = String.fromDatabaseValue(row["content"]),
                text.contains(where: { !$0.isWhitespace })
            else {
                collection.recordsWithoutText += 1
                continue
            }
            guard let key = String.fromDatabaseValue(row["id"]) else {
                throw failure("the collection '\(name)' has an id that is damaged")
            }
            let metadata = String.fromDatabaseValue(row["metadata"]).map { Data($0.utf8) } ?? Data("{}".utf8)
            collection.records.append(
                ImportedText(
                    key: key, text: text,
                    metadata: (try? JSONDecoder().decode([String: MetadataValue].self, from: metadata))
                        ?? [:],
                    updatedAt: Int.fromDatabaseValue(row["updated"]).map {
                        Date(timeIntervalSince1970: Double($0))
                    }))
        }
        return collection
    }
}
