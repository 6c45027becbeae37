package import Foundation
import GRDB
import RoostFiles
package import RoostModel

package protocol ImportedDatabase: Sendable {
    var url: URL { get }
    /// The tables by which such a database is recognized.
    static var ownTables: [String] { get }
}

extension ImportedDatabase {
    package var isPresent: Bool {
        // Opening a named pipe would wait for a writer.
        guard (try? FileSystem.sizeOfRegularFile(url.resolvingSymlinksInPath().path)) != nil else {
            return false
        }
        return (try? read { database in try Self.ownTables.allSatisfy { try database.tableExists($0) } })
            ?? false
    }

    /// The maximum size of a text in bytes, more than that of a long book.
    fileprivate static var maximumTextSize: Int { 64 << 20 }
    /// The maximum size of another value in bytes.
    fileprivate static var maximumValueSize: Int { 1 << 20 }

    fileprivate func failure(_ fault: String) -> StorageError {
        StorageError(.invalidBatch, "cannot import \(url.path): \(fault)")
    }

    /// Reads collections after checking that everything that is read is a table without computed columns. A view
    /// or a computed column of a hostile file could produce rows and values without end.
    fileprivate func collections(
        in required: [String], optional: [String] = [],
        _ body: (Database) throws -> [ImportedCollection]
    ) throws -> [ImportedCollection] {
        do {
            return try read { database in
                for name in required where try !database.tableExists(name) {
                    throw failure("the table \(name) is missing")
                }
                for name in required + optional {
                    let computed = try Int.fetchOne(
                        database, sql: "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden <> 0",
                        arguments: [name])
                    guard computed == 0 else { throw failure("the table \(name) has computed columns") }
                }
                return try body(database)
            }
        } catch let error as DatabaseError {
            throw failure(error.message ?? "its tables are missing or damaged")
        }
    }

    fileprivate static func date(_ seconds: DatabaseValue) -> Date? {
        Int.fromDatabaseValue(seconds).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Reads the database without changing it. Functions in its schema are not called, because they can come
    /// from a hostile file.
    fileprivate func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        let queue = try DatabaseQueue(path: url.path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read(body)
    }
}

package struct ImportedText: Sendable, Hashable {
    /// The id of the text in the other program, unique in its collection.
    package var key: String
    package var text: String
    package var metadata: [String: MetadataValue]
    package var updatedAt: Date?

    package init(
        key: String, text: String, metadata: [String: MetadataValue] = [:], updatedAt: Date? = nil
    ) {
        (self.key, self.text, self.metadata, self.updatedAt) = (key, text, metadata, updatedAt)
    }
}

package struct ImportedCollection: Sendable {
    package var name: String
    package var records: [ImportedText] = []
    /// The number of embeddings whose texts the database does not contain.
    package var recordsWithoutText = 0
}

/// Reads the texts and metadata in the database of a folder of Chroma 1.x (`chroma.sqlite3`).
///
/// The database may come from anybody: functions in its schema are not run, and the sizes of values are
/// limited.
package struct ChromaDatabase: ImportedDatabase {
    private struct Values {
        var text: String?
        var metadata: [String: MetadataValue] = [:]
    }

    private static let textKey = "chroma:document"

    package static let ownTables = ["collections", "segments", "embeddings", "embedding_metadata"]

    package let url: URL

    package init(_ url: URL) { self.url = url }

    package func collections() throws -> [ImportedCollection] {
        let tables = Self.ownTables + ["databases"]
        return try collections(in: tables, optional: ["embedding_metadata_array"]) { database in
            // The tenant is part of the name, so the name does not depend on other collections.
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT c.id, CASE WHEN d.tenant_id <> 'default_tenant'
                    THEN d.tenant_id || '/' || d.name || '/' || c.name
                    WHEN d.name <> 'default_database' THEN d.name || '/' || c.name ELSE c.name END AS name
                    FROM collections c JOIN databases d ON d.id = c.database_id
                    ORDER BY d.tenant_id, d.name, c.name
                    """)
            return try rows.map { row in
                guard let id = String.fromDatabaseValue(row["id"]),
                    let name = String.fromDatabaseValue(row["name"])
                else { throw failure("a collection has no id or no name") }
                var collection = ImportedCollection(name: name)
                let segment = try String.fetchOne(
                    database, sql: "SELECT id FROM segments WHERE collection = ? AND scope = 'METADATA'",
                    arguments: [id])
                if let segment { try readTexts(of: segment, into: &collection, database) }
                return collection
            }
        }
    }

    // MARK: Texts

    private func readTexts(
        of segment: String, into collection: inout ImportedCollection, _ database: Database
    ) throws {
        let values = try values(of: segment, database)
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, embedding_id, CAST(strftime('%s', created_at) AS INTEGER) AS created
                FROM embeddings WHERE segment_id = ? ORDER BY id
                """, arguments: [segment])
        while let row = try rows.next() {
            guard let id = Int64.fromDatabaseValue(row["id"]),
                let key = String.fromDatabaseValue(row["embedding_id"])
            else { throw failure("the collection '\(collection.name)' has an id that is damaged") }
            guard let text = values[id]?.text, text.contains(where: { !$0.isWhitespace }) else {
                collection.recordsWithoutText += 1
                continue
            }
            collection.records.append(
                ImportedText(
                    key: key, text: text, metadata: values[id]?.metadata ?? [:],
                    updatedAt: Self.date(row["created"])))
        }
    }

    private func values(of segment: String, _ database: Database) throws -> [Int64: Values] {
        var values: [Int64: Values] = [:]
        var tables = [("embedding_metadata", false)]
        if try database.tableExists("embedding_metadata_array") {
            tables.append(("embedding_metadata_array", true))
        }
        for (table, isArray) in tables {
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT m.id, m.key, m.string_value, m.int_value, m.float_value, m.bool_value
                    FROM \(table) m WHERE m.id IN (SELECT id FROM embeddings WHERE segment_id = ?)
                    AND length(m.key) <= ? AND coalesce(length(m.string_value), 0)
                    <= CASE m.key WHEN ? THEN ? ELSE ? END ORDER BY m.rowid
                    """,
                arguments: [
                    segment, Self.maximumValueSize, Self.textKey, Self.maximumTextSize, Self.maximumValueSize,
                ])
            while let row = try rows.next() {
                guard let id = Int64.fromDatabaseValue(row["id"]),
                    let key = String.fromDatabaseValue(row["key"])
                else { continue }
                if key == Self.textKey {
                    values[id, default: Values()].text = String.fromDatabaseValue(row["string_value"])
                } else if let value = Self.value(row), !key.hasPrefix("chroma:") {
                    Self.add(value, for: key, isArray, to: &values[id, default: Values()].metadata)
                }
            }
        }
        return values
    }

    private static func value(_ row: Row) -> MetadataValue? {
        if let value = Bool.fromDatabaseValue(row["bool_value"]) { return .bool(value) }
        if let value = Int64.fromDatabaseValue(row["int_value"]) { return .integer(value) }
        if let value = Double.fromDatabaseValue(row["float_value"]), value.isFinite { return .number(value) }
        return String.fromDatabaseValue(row["string_value"]).map(MetadataValue.string)
    }

    private static func add(
        _ value: MetadataValue, for key: String, _ isArray: Bool, to metadata: inout [String: MetadataValue]
    ) {
        var elements: [MetadataValue] = []
        if case .array(let earlier) = metadata[key] { elements = earlier }
        metadata[key] = isArray ? .array(elements + [value]) : value
    }
}

/// Reads the texts in the database of embeddings of the program `llm`
/// (https://llm.datasette.io/en/stable/embeddings/).
///
/// The database may come from anybody: functions in its schema are not run, and the sizes of values are
/// limited.
package struct LLMDatabase: ImportedDatabase {
    package static let ownTables = ["collections", "embeddings"]

    package let url: URL

    package init(_ url: URL) { self.url = url }

    package func collections() throws -> [ImportedCollection] {
        try collections(in: Self.ownTables) { database in
            let rows = try Row.fetchAll(database, sql: "SELECT id, name FROM collections ORDER BY id")
            return try rows.map { row in
                guard let id = Int.fromDatabaseValue(row["id"]),
                    let name = String.fromDatabaseValue(row["name"])
                else { throw failure("a collection has no name") }
                return try collection(id, named: name, database)
            }
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
            arguments: [id, Self.maximumTextSize, Self.maximumValueSize])
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
                    metadata: (try? MetadataValue(json: metadata))?.members ?? [:],
                    updatedAt: Self.date(row["updated"])))
        }
        return collection
    }
}
