import Foundation
import GRDB
import RoostModel
import TestSupport
import Testing

@testable import RoostDocuments

/// Databases of other programs are read, and those with endless or huge contents are refused.
@Suite(.temporaryFolders) struct ImportedDatabaseTests {
    /// Returns the database of `llm` with one collection and the given table of embeddings.
    private func database(_ embeddings: String) throws -> LLMDatabase {
        let url = try TemporaryFolder().url.appendingPathComponent("embeddings.db")
        let queue = try DatabaseQueue(path: url.path)
        try queue.write {
            try $0.execute(
                sql: """
                    CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT, model TEXT);
                    INSERT INTO collections VALUES (1, 'birds', 'small');
                    \(embeddings);
                    """)
        }
        try queue.close()
        return LLMDatabase(url)
    }

    @Test func `the texts of llm are read with their metadata`() throws {
        let database = try database(
            """
            CREATE TABLE embeddings (
                collection_id INTEGER, id TEXT, embedding BLOB, content TEXT, metadata TEXT, updated INTEGER);
            INSERT INTO embeddings VALUES (1, 'a', x'0000803F00000040', 'a swift', '{"n": 1}', 0);
            INSERT INTO embeddings VALUES (1, 'b', x'0000803F00000040', NULL, NULL, 0)
            """)
        let collection = try #require(try database.collections().first)
        #expect(collection.name == "birds" && collection.recordsWithoutText == 1)
        #expect(collection.records.map(\.text) == ["a swift"])
        #expect(collection.records.map(\.metadata) == [["n": 1]])
    }

    @Test(
        arguments: [
            """
            CREATE TABLE embeddings (
                collection_id INTEGER, id TEXT, embedding BLOB, metadata TEXT, updated INTEGER,
                content TEXT GENERATED ALWAYS AS (printf('%.*c', 100, 'x')) VIRTUAL);
            INSERT INTO embeddings VALUES (1, 'a', x'0000803F', NULL, 0)
            """,
            """
            CREATE VIEW embeddings AS SELECT 1 AS collection_id, 'a' AS id, x'0000803F' AS embedding,
                'a swift' AS content, NULL AS metadata, 0 AS updated
            """,
        ])
    func `views and computed columns in a database of llm are refused`(embeddings: String) throws {
        let database = try database(embeddings)
        let error = #expect(throws: StorageError.self) { try database.collections() }
        #expect(error?.code == .invalidBatch)
    }
}
