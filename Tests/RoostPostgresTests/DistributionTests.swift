import Foundation
import RoostModel
import Testing

@testable import RoostPostgres

/// The distribution of the tables over the servers of a cluster, with functions that record their calls in
/// place of those of the extension Citus.
@Suite(TestServer.isRequired) struct DistributionTests {
    private let limits = CallLimits(.seconds(1200))

    private static let recorder = [
        "CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY, definition text)",
        """
        CREATE FUNCTION create_distributed_table(name regclass, col text, colocate_with text) RETURNS void
        LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES (name, col || '' with '' || colocate_with)'
        """,
        """
        CREATE FUNCTION create_reference_table(name regclass) RETURNS void
        LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES (name, ''copied'')'
        """,
    ]

    @Test func `all tables of a store are placed together`() async throws {
        let settings = try TestServer.newDatabase()
        let connection = try Connection(settings)
        for sql in Self.recorder { try connection.execute(sql, limits) }
        // Several clients create the tables at the same time.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["a", "b", "a"] {
                group.addTask {
                    let store = try await PostgresStorageProvider(address: settings, name: name)
                    try await store.saveEntry(Entry(content: "x", embeddings: [1, 0]))
                    try await store.close()
                }
            }
            try await group.waitForAll()
        }
        let rows = try connection.run(
            Statement("SELECT logicalrelid::text, definition FROM pg_dist_partition", isKept: false), limits
        ).rows
        let found = Dictionary(uniqueKeysWithValues: try rows.map { (try $0.text(0), try $0.text(1)) })
        #expect(found["roost.heads"] == "store with none")
        for name in ["stores", "migrations"] { #expect(found["roost.\(name)"] == "copied") }
        for name in ["commits"] + (Table.versioned + [.removals]).map(\.name) {
            #expect(found["roost.\(name)"] == "store with roost.heads", "\(name)")
        }
        let tables = try connection.run(
            Statement(
                "SELECT count(*) FROM pg_tables WHERE schemaname = 'roost'", isKept: false), limits)
        #expect(try tables.rows[0].int(0) == found.count)
    }
}
