import Foundation
import RoostModel
import Testing

@testable import RoostPostgres

struct ConnectionSettingsTests {
    @Test(arguments: [
        "postgresql://ann:s%20ecret@db.example.org:5433/notes?sslmode=verify-full",
        "host=db.example.org port=5433 user=ann password='s ecret' dbname=notes sslmode=verify-full",
    ]) func `the stored address has no password`(address: String) throws {
        let settings = try ConnectionSettings(address)
        #expect(settings.hasPassword)
        #expect(settings.displayName == "db.example.org:5433/notes")
        let stored = settings.addressWithoutSecrets
        #expect(!stored.contains("ecret"))
        let again = try ConnectionSettings(stored)
        #expect(!again.hasPassword)
        var expected = settings.values
        expected["password"] = nil
        #expect(again.values == expected)
        #expect(again.addressWithoutSecrets == stored)
    }

    @Test(arguments: [
        ("postgresql://db.example.org/notes", "db.example.org/notes"), ("service=team", "service team"),
        ("host=db port=5433", "db:5433"),
    ]) func `an address has a name for messages`(address: String, name: String) throws {
        #expect(try ConnectionSettings(address).displayName == name)
    }

    @Test func `values with quotation marks and backslashes are preserved`() throws {
        let settings = try ConnectionSettings(#"user='it\'s' dbname='a\\b c'"#)
        #expect(settings.values["user"] == "it's")
        #expect(settings.values["dbname"] == #"a\b c"#)
        #expect(try ConnectionSettings(settings.addressWithoutSecrets).values == settings.values)
    }

    @Test(arguments: [
        "postgresql://ann:hunter2@[db/notes", "password=hunter2 nonsense", "colour=blue password=hunter2",
        "postgresql://ann:hunter2@db/notes?colour=blue", "host=a\0b password=hunter2",
    ]) func `an invalid address is reported without its text`(address: String) {
        let error = #expect(throws: StorageError.self) { _ = try ConnectionSettings(address) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func `a password is removed from messages`() throws {
        let settings = try ConnectionSettings("postgresql://ann:hunter2@db/notes")
        #expect(settings.redacted("bad password hunter2\nsecond line") == "bad password ***")
        #expect(settings.redacted("") == "unknown error")
    }
}

struct ErrorMappingTests {
    private let mapping = ErrorMapping(name: "db.example.org/notes")

    @Test(arguments: [
        ("25006", StorageError.Code.readOnly, "primary server"), ("42501", .readOnly, "grant"),
        ("42P01", .notFound, "create the tables"), ("53100", .full, "free space"),
        ("57014", .locked, "statement timeout"), ("55P03", .locked, "lock timeout"),
        ("42883", .unsupported, "feature"), ("57P05", .unavailable, "try again later"),
        ("57P01", .unavailable, "try again later"), ("40001", .unavailable, "try again later"),
        ("22012", .inputOutput, "22012"),
    ]) func `a rejected statement is reported with the next step`(
        state: String, code: StorageError.Code, step: String
    ) {
        let error = mapping.storageError(.rejected(state: state, message: "the cause"))
        #expect(error.code == code)
        #expect(error.message.hasPrefix("db.example.org/notes: the cause; ") || code == .inputOutput)
        #expect(error.message.contains(step))
    }

    @Test(arguments: [
        ("connection to server failed: Connection refused", true),
        ("connection to server at \"db\" (2001:db8::1), port 5432 failed: Network is unreachable", true),
        ("FATAL:  the database system is starting up", true),
        ("FATAL:  the database system is not yet accepting connections", true),
        ("FATAL:  sorry, too many clients already", true),
        ("FATAL:  too many connections for database \"notes\"", true),
        ("FATAL:  terminating connection due to administrator command", true),
        ("connection to server on socket \"/run/.s.PGSQL.5432\" failed: No such file or directory", true),
        ("FATAL:  password authentication failed for user \"ann\"", false),
        ("FATAL:  database \"notes\" does not exist", false),
        ("root certificate file \"/home/ann/.postgresql/root.crt\" does not exist", false),
    ]) func `refused connections are repeated only if that can help`(message: String, isTemporary: Bool) {
        let error = ConnectionError.refused(message: message)
        #expect(error.isTemporary == isTemporary)
        #expect(mapping.storageError(error).isRetryable == isTemporary)
        #expect(mapping.storageError(error).code == (isTemporary ? .unavailable : .configuration))
    }

    @Test func `a refused connection is reported with the next steps`() {
        let message = mapping.storageError(.refused(message: "FATAL:  the cause")).message
        for step in ["the cause", "PGHOST", "PGPASSWORD", "sslrootcert"] { #expect(message.contains(step)) }
    }

    @Test func `an owner is named only where privileges are not enough`() {
        func step(_ message: String) -> String {
            mapping.storageError(.rejected(state: "42501", message: message)).message
        }
        #expect(step("must be owner of table vectors").contains("who created the tables"))
        #expect(step("permission denied for schema roost").contains("'roost grant'"))
    }

    @Test(arguments: [
        ("XX001", "invalid page in block 7", StorageError.Code.damaged, "restore a backup"),
        ("XX002", "unexpected zero page in index", .damaged, "restore a backup"),
        ("XX000", "cache lookup failed for type 7", .inputOutput, "SQLSTATE XX000"),
        ("XX000", "terminating connection due to unexpected postmaster exit", .unavailable, "try again"),
        ("XX000", "could not commit transaction for shard 7 on any active node", .unavailable, "try again"),
        ("08006", "connection to the remote node a@b:1 failed", .unavailable, "try again later"),
        ("08006", "FATAL:  password authentication failed for user", .configuration, "pg_dist_authinfo"),
        ("28P01", "password authentication failed for user", .configuration, "pg_dist_authinfo"),
    ]) func `internal errors are damage or temporary only if the server says so`(
        state: String, message: String, code: StorageError.Code, advice: String
    ) {
        let error = ConnectionError.rejected(state: state, message: message)
        let found = mapping.storageError(error)
        #expect(found.code == code && found.message.contains(advice), "\(found.message)")
        #expect(error.isTemporary == (code == .unavailable) && found.isRetryable == error.isTemporary)
        #expect(found.remedy == (code == .damaged ? .restoreBackup : error.isTemporary ? .retryLater : nil))
    }

    @Test func `the error of the address that answers is reported`() throws {
        let text = """
            connection to server at "localhost" (::1), port 5432 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server at "localhost" (fe80::1), port 5432 failed: Network is unreachable
            connection to server at "localhost" (127.0.0.1), port 5432 failed: FATAL:  password authentication failed
            """
        let message = try ConnectionSettings("host=localhost").redacted(text)
        #expect(message.hasSuffix("password authentication failed"))
    }

    @Test func `only a rejection within a session excludes a commit`() {
        #expect(ConnectionError.rejected(state: "40001", message: "").excludesCommit)
        #expect(ConnectionError.rejected(state: "23505", message: "").excludesCommit)
        // The session can end after the commit, and 40003 means that the outcome is unknown.
        for state in ["57P01", "57P02", "08006", "40003", "XX000"] {
            #expect(!ConnectionError.rejected(state: state, message: "").excludesCommit)
        }
        #expect(!ConnectionError.lost(message: "").excludesCommit)
        #expect(!ConnectionError.timedOut.excludesCommit)
    }
}

@Suite(TestServer.isRequired) struct HeadCountTests {
    private static func entry(_ vector: [Float] = [1, 0]) -> Entry {
        Entry(content: "a swift", embeddings: vector)
    }

    @Test func `an entry that a batch removes twice is counted once`() async throws {
        let provider = try await PostgresFixture().provider()
        let (first, second) = (Self.entry(), Self.entry())
        _ = try await provider.commit(WriteBatch(upserts: [first, second]))
        _ = try await provider.commit(WriteBatch(removals: [first.id, first.id]))
        let snapshot = try await provider.snapshot()
        #expect(snapshot.stamp.entryCount == 1)
        // The remaining vector still determines the dimension.
        await #expect(throws: StorageError.self) {
            _ = try await provider.commit(WriteBatch(upserts: [Self.entry([1, 0, 0])]))
        }
        try await provider.close()
    }

    @Test func `removing an assignment keeps the number of clusters`() async throws {
        let provider = try await PostgresFixture().provider()
        let entry = Self.entry()
        let cluster = Cluster(label: "birds", centroid: [1, 0])
        _ = try await provider.commit(WriteBatch(upserts: [entry], clusters: [cluster]))
        let assignment = Assignment(entry: entry.id, target: .cluster(cluster.id))
        _ = try await provider.commit(WriteBatch(assignments: [assignment]))
        _ = try await provider.commit(WriteBatch(unassignments: [entry.id]))
        let stamp = try await provider.snapshot().stamp
        #expect(stamp.clusterCount == 1)
        try await provider.close()
    }

    @Test func `a vector that exceeds the maximum of PostgreSQL is refused`() async throws {
        let provider = try await PostgresFixture().provider()
        let vector = [1] + [Float](repeating: 0, count: 40_000)
        let error = await #expect(throws: StorageError.self) {
            _ = try await provider.commit(WriteBatch(upserts: [Self.entry(vector)]))
        }
        #expect(error?.code == .unsupported)
        #expect(try await provider.snapshot().stamp.entryCount == 0)
        try await provider.close()
    }
}
