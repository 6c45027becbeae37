import Foundation
import RoostModel
import Testing

@testable import RoostPostgres

/// Each error names the operation, the cause and the next step, and never contains a password.
@Suite(TestServer.isRequired) struct ServerErrorTests {
    private let limits = CallLimits(.seconds(1200))

    private func openingError(_ settings: ConnectionSettings) async -> StorageError? {
        var options = PostgresStorageProvider.Options()
        options.retryTimeout = 5
        options.openingTimeout = 0.1
        return await #expect(throws: StorageError.self) {
            try await PostgresStorageProvider(address: settings, name: "errors", options: options)
        }
    }

    @Test func `a wrong password is reported without the password`() async throws {
        let error = await openingError(try TestServer.settings(["password": "hunter2-wrong"]))
        #expect(error?.code == .configuration)
        #expect(error?.isRetryable == false)
        #expect(error?.message.contains("PGPASSWORD") == true)
        #expect(error.map { "\($0)" + String(reflecting: $0) }?.contains("hunter2") == false)
    }

    @Test func `a missing database is reported`() async throws {
        let error = await openingError(try TestServer.settings(["dbname": "no such database"]))
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("does not exist; check") == true)
    }

    @Test func `a server that only reads is reported`() async throws {
        let name = TestServer.newName()
        try await PostgresStorageProvider(address: try TestServer.settings(), name: name).close()
        let settings = try TestServer.settings(["options": "-c default_transaction_read_only=on"])
        let store = try await PostgresStorageProvider(address: settings, name: name)
        #expect(try await store.fetchEntries().isEmpty)
        let error = await #expect(throws: StorageError.self) {
            try await store.saveEntry(Entry(content: "x"))
        }
        #expect(error?.code == .readOnly)
        #expect(error?.message.contains("connect to the primary server") == true)
    }

    private func newDatabase(_ prepare: (Connection) throws -> Void) throws -> ConnectionSettings {
        let settings = try TestServer.newDatabase()
        try prepare(try Connection(settings))
        return settings
    }

    private func newRole(_ connection: Connection, _ attributes: String = "") throws -> [String: String] {
        let name = "role_\(UUID().uuidString.replacing("-", with: "").lowercased())"
        try connection.execute("CREATE ROLE \(name) LOGIN PASSWORD 'secret' \(attributes)", limits)
        return ["user": name, "password": "secret"]
    }

    @Test func `a user without privileges is reported, and a reader and a writer work with their grants`()
        async throws
    {
        var roles: [[String: String]] = []
        let owner = try newDatabase { connection in
            try connection.execute(Schema.createVectorType, limits)
            for _ in 0..<3 { roles.append(try newRole(connection)) }
        }
        let none = await openingError(try TestServer.settings(owner.values.merging(roles[0]) { $1 }))
        #expect(none?.code == .readOnly)
        #expect(none?.message.contains("'roost grant'") == true)

        let store = try await PostgresStorageProvider(address: owner, name: "shared")
        for role in roles[1...] {
            try await store.grantAccess(to: try #require(role["user"]), isReadOnly: false)
        }
        // The second call withdraws the right to write.
        try await store.grantAccess(to: try #require(roles[1]["user"]), isReadOnly: true)
        await #expect(throws: StorageError.self) {
            try await store.grantAccess(to: "no\"body", isReadOnly: true)
        }
        let writer = try await PostgresStorageProvider(
            address: try TestServer.settings(owner.values.merging(roles[2]) { $1 }), name: "shared")
        let entry = Entry(content: "by the writer", embeddings: [1, 0], createdAt: Date(milliseconds: 0))
        try await writer.saveEntry(entry)
        try await writer.compact()
        let reader = try await PostgresStorageProvider(
            address: try TestServer.settings(owner.values.merging(roles[1]) { $1 }), name: "shared")
        #expect(try await reader.fetchEntries() == [entry])
        let refused = await #expect(throws: StorageError.self) { try await reader.saveEntry(entry) }
        #expect(refused?.code == .readOnly)
        #expect(try await store.fetchEntries() == [entry])
    }

    @Test func `tables of a newer version are refused`() async throws {
        let settings = try newDatabase { connection in
            for sql in [Schema.createVectorType] + Schema.tables { try connection.execute(sql, limits) }
            try connection.execute("INSERT INTO roost.migrations VALUES (7, 7)", limits)
        }
        let error = await openingError(settings)
        #expect(error?.code == .newerFormat)
        #expect(error?.remedy == .upgradeRoost)
        #expect(error?.message.contains("version 7") == true)
    }

    @Test func `newer tables that older clients can use are accepted`() async throws {
        let settings = try newDatabase { _ in }
        try await PostgresStorageProvider(address: settings, name: "a").close()
        try Connection(settings).execute("INSERT INTO roost.migrations VALUES (2, 1)", limits)
        let store = try await PostgresStorageProvider(address: settings, name: "a")
        try await store.saveEntry(Entry(content: "x"))
        #expect(try await store.fetchEntries().count == 1)
    }

    @Test func `clients that open an empty database at the same time all succeed`() async throws {
        let settings = try newDatabase { _ in }
        let stores = try await withThrowingTaskGroup(of: UUID.self) { group in
            for _ in 0..<6 {
                group.addTask { try await PostgresStorageProvider(address: settings, name: "same").store }
            }
            return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
        }
        #expect(stores.count == 1)
    }

    @Test func `opening without creating writes nothing`() async throws {
        let settings = try newDatabase { _ in }
        for _ in 0..<2 {
            let error = await #expect(throws: StorageError.self) {
                try await PostgresStorageProvider(address: settings, existing: "none")
            }
            #expect(error?.code == .notFound)
        }
        let schemas = try Connection(settings).run(
            Statement("SELECT count(*) FROM pg_namespace WHERE nspname = 'roost'", isKept: false), limits)
        #expect(try schemas.rows[0].int(0) == 0)
    }

    @Test func `a commit that waits too long for another writer is refused`() async throws {
        let fixture = PostgresFixture()
        let store = try await fixture.provider { $0.lockTimeout = 1 }
        let other = try Connection(try TestServer.settings())
        _ = try other.run([TableSQL.begin, Head.lockingSelection(store.store)], limits)
        let error = await #expect(throws: StorageError.self) {
            try await store.saveEntry(Entry(content: "x"))
        }
        #expect(error?.code == .locked)
        #expect(error?.isRetryable == true)
        other.rollBack(limits)
        try await store.saveEntry(Entry(content: "x"))
        #expect(try await store.fetchEntries().count == 1)
    }

    @Test func `a changed byte is detected`() async throws {
        let fixture = PostgresFixture()
        let store = try await fixture.provider()
        let entry = Entry(
            content: "some text", embeddings: [1, 0, 0],
            passages: [Passage(ordinal: 0, utf8Range: 0..<4, vector: [0, 1, 0])], source: "s", tags: ["t"])
        try await store.saveEntry(entry)
        let connection = try Connection(try TestServer.settings())
        let changes = [
            ("entries", "content = 'Some text'"), ("entries", "created = created + 1"),
            ("entries", "fingerprint = digest"), ("entries", "tags = '[\"u\"]'"),
            ("entries", "store = store, row = row + 1"), ("vectors", "embedding = '[0,1,0]'"),
            ("passages", "embedding = '[1,0,0]'"), ("passages", "tokens = 7"),
        ]
        for (table, change) in changes {
            let copy = "copy_\(UUID().uuidString.replacing("-", with: ""))"
            let selection = "store = '\(store.store)'"
            try connection.execute(
                "CREATE TABLE \(copy) AS SELECT * FROM roost.\(table) WHERE \(selection)", limits)
            try connection.execute("UPDATE roost.\(table) SET \(change) WHERE \(selection)", limits)
            let error = await #expect(throws: StorageError.self, "\(change)") {
                try await store.fetchEntries()
            }
            #expect(error?.code == .damaged, "\(change)")
            try connection.execute("DELETE FROM roost.\(table) WHERE \(selection)", limits)
            try connection.execute("INSERT INTO roost.\(table) SELECT * FROM \(copy)", limits)
            try connection.execute("DROP TABLE \(copy)", limits)
        }
        #expect(try await store.fetchEntries() == [entry])
    }

    @Test func `the inspection names the versions`() async throws {
        let findings = try await PostgresFixture().provider().inspectServer()
        #expect(findings.contains { $0.message.contains("PostgreSQL") })
        #expect(findings.contains { $0.message.contains("pgvector") })
    }

    @Test(arguments: ["-100 years", "100 years"])
    func `a clock of the server that jumps ends snapshots at most`(age: String) async throws {
        let fixture = PostgresFixture()
        let store = try await fixture.provider()
        var entry = Entry(content: "first", embeddings: [1, 0], createdAt: Date(milliseconds: 0))
        try await store.saveEntry(entry)
        let (old, first) = (try await store.snapshot(), entry)
        entry.content = "second"
        try await store.saveEntry(entry)
        // Commits that are recorded at another time are equivalent to a clock that shows another time.
        let connection = try Connection(try TestServer.settings())
        try connection.execute(
            "UPDATE roost.commits SET committed = committed + interval '\(age)' WHERE store = '\(store.store)'",
            limits)
        try await store.compact()
        if age.hasPrefix("-") {
            let error = await #expect(throws: StorageError.self) { _ = try await old.entries([entry.id]) }
            #expect(error?.code == .notFound)
            #expect(error?.message.contains("take a new snapshot") == true)
        } else {
            #expect(try await old.entries([entry.id]) == [first])
        }
        #expect(try await store.fetchEntries().map(\.content) == ["second"])
        try await store.saveEntry(Entry(content: "third"))
        try await store.compact()
        #expect(try await store.fetchEntries().count == 2)
        try await store.close()
    }

    @Test func `a compaction deletes superseded rows and keeps young snapshots`() async throws {
        let fixture = PostgresFixture()
        let keeping = try await fixture.provider()
        var entry = Entry(content: "first", embeddings: [1, 0], tags: ["t"])
        try await keeping.saveEntry(entry)
        let old = try await keeping.snapshot()
        let first = entry
        entry.content = "second"
        try await keeping.saveEntry(entry)
        let unlimited = try await fixture.provider { $0.snapshotLifetime = .infinity }
        for provider in [keeping, unlimited] { try await provider.compact() }
        #expect(try await old.entries([entry.id]) == [first])

        let deleting = try await fixture.provider { $0.snapshotLifetime = 0 }
        try await deleting.compact()
        let error = await #expect(throws: StorageError.self) { _ = try await old.entries([entry.id]) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("take a new snapshot") == true)
        #expect(try await deleting.fetchEntries() == [entry])
        let connection = try Connection(try TestServer.settings())
        for table in ["entries", "vectors", "attributes"] {
            let rows = try connection.run(
                Statement(
                    "SELECT count(*) FROM roost.\(table) WHERE store = $1::uuid", [Parameter(keeping.store)]),
                limits)
            #expect(try rows.rows[0].int(0) == 1, "\(table)")
        }
    }
}
