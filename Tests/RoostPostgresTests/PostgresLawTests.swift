import Foundation
import RoostModel
import RoostTestKit
import Testing

@testable import RoostPostgres

@Suite(TestServer.isRequired) struct PostgresLawTests {
    @Test(arguments: StorageLaw.allCases, TestServer.available)
    func `the PostgreSQL store obeys the law`(law: StorageLaw, server: TestServer) async throws {
        try await law.check(PostgresFixture(server: server))
    }

    @Test(TestServer.version18.isRequired)
    func `the laws are also checked with PostgreSQL 18`() async throws {
        let store = try await PostgresFixture(server: .version18).provider()
        #expect(try await store.inspectServer().contains { $0.message.contains("PostgreSQL 18") })
        try await store.close()
    }

    /// The seeds that are tried. `ROOST_FUZZ_SEEDS` sets their number.
    static let seeds = 1...(ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 4)

    @Test(arguments: seeds) func `the PostgreSQL store behaves like the reference`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 80).run { PostgresFixture() }
    }

    @Test(arguments: seeds) func `commits of many parts behave like the reference`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed) + 1000, length: 80).run { PostgresFixture(partSize: 1) }
    }

    @Test(arguments: [1, 3_000, 8 << 20])
    func `one commit removes, replaces and adds many entries`(partSize: Int) async throws {
        func entry(_ number: Int, _ text: String) -> Entry {
            Entry(
                id: ids[number], content: text, embeddings: [1, Float(number)], source: "s",
                metadata: ["number": .integer(Int64(number))], tags: ["t"])
        }
        let ids = (0..<300).map { _ in UUID() }
        let store = try await PostgresFixture(partSize: partSize).provider()
        let reference = InMemoryStorageProvider()
        let first = WriteBatch(upserts: (0..<200).map { entry($0, "old \($0)") })
        // Entries 150 to 159 are removed and added again; entries 160 to 199 are replaced, every other one
        // with an equal one.
        let second = WriteBatch(
            upserts: (150..<300).map {
                $0 >= 160 && $0 < 200 && $0.isMultiple(of: 2)
                    ? first.upserts[$0] : entry($0, "new \($0)")
            },
            removals: (0..<160).map { ids[$0] } + [ids[3]])
        for batch in [first, second] {
            _ = try await store.commit(batch)
            _ = try await reference.commit(batch)
        }
        let (found, expected) = (try await StorageContents(store), try await StorageContents(reference))
        #expect(found.entries == expected.entries && found.entries.count == 150)
        #expect(found.changes.map(\.kind) == expected.changes.map(\.kind))
        #expect(found.revision == Revision(rawValue: 2))
        try await store.close()
    }
}

/// The distribution of the tables over the servers of a cluster, with functions that record their calls in
/// place of those of the extension Citus.
@Suite(TestServer.isRequired) struct DistributionTests {
    private let limits = CallLimits(.seconds(1200))

    static let recorder = [
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

    @Test func `a cluster receives rows as values, and states the size of an index`() async throws {
        let settings = try TestServer.newDatabase()
        let connection = try Connection(settings)
        let size = """
            CREATE FUNCTION citus_relation_size(name regclass) RETURNS int8
            LANGUAGE sql AS 'SELECT 700::int8'
            """
        for sql in Self.recorder + [size] { try connection.execute(sql, limits) }
        let store = try await PostgresStorageProvider(address: settings)
        let entries = (0..<600).map { Entry(content: "\($0)", embeddings: [1, Float($0)], source: "s") }
        try await store.saveEntries(entries)
        #expect(try await store.fetchEntries().map(\.content) == entries.map(\.content))
        let search = try #require(try await store.snapshot().passageSearch)
        try await search.buildIndex { _, _ in }
        #expect(try await search.indexState().bytes == 2 * 700)
        try connection.execute("DROP FUNCTION citus_relation_size", limits)
        #expect(try await search.indexState().bytes > 2 * 700)
        try await store.close()
    }

    @Test(arguments: [(1, [1]), (256, [256]), (600, [256, 256, 88])])
    func `rows are inserted as values if they are few or the tables are distributed`(
        count: Int, parts: [Int]
    ) {
        var rows = RowBuffer(.removals)
        for number in 0..<count {
            rows.append(UUID(), Revision(rawValue: 1), Int64(number), UUID(), Int64(0))
            rows.seal()
        }
        func statements(_ isDistributed: Bool) -> [Statement] {
            rows.insertions(DatabaseFeatures(vectorType: 0, isDistributed: isDistributed))
        }
        let values = statements(true)
        #expect(values.allSatisfy { $0.sql.contains(" VALUES ($1, $2, ") })
        #expect(values.map { $0.parameters.count / Table.removals.columns.count } == parts)
        #expect(statements(false).allSatisfy { $0.sql.contains("unnest") == (count > 256) })
    }
}
