import Foundation
import TestSupport
import Testing

/// A server that `Scripts/test` starts, or another one.
enum DatabaseServer: String, CaseIterable, Sendable {
    case main = "ROOST_TEST_POSTGRES"
    case version18 = "ROOST_TEST_POSTGRES_18"

    var url: String? { ProcessInfo.processInfo.environment[rawValue].flatMap { $0.isEmpty ? nil : $0 } }

    static var url: String? { main.url }

    static let available = allCases.filter { $0.url != nil }
}

/// The `roost` command with stores in PostgreSQL.
@Suite(
    .temporaryFolders,
    .enabled(
        if: DatabaseServer.url != nil,
        "ROOST_TEST_POSTGRES does not name a PostgreSQL server; Scripts/test starts one"))
struct PostgresCommandTests {
    private let driver = CommandLineDriver()

    private func roost(
        _ arguments: String..., password: String? = nil, on server: DatabaseServer = .main,
        environment: [String: String] = [:]
    ) throws -> CommandLineDriver.Outcome {
        let url = try #require(server.url)
        let known = try #require(URLComponents(string: url)?.password)
        let secret = ["PGPASSWORD": password ?? known]
        let running = try driver.start(arguments, environment: secret.merging(environment) { $1 })
        try running.input.close()
        return try running.outcome()
    }

    /// Returns the URL of a server without its password.
    ///
    /// - Parameter change: Changes parts of the URL.
    private func address(
        of server: DatabaseServer = .main, _ change: (inout URLComponents) -> Void = { _ in }
    ) throws -> String {
        let url = try #require(server.url)
        var components = try #require(URLComponents(string: url))
        components.password = nil
        change(&components)
        return try #require(components.string)
    }

    private func initialize(
        _ folder: String, _ name: String, on server: DatabaseServer = .main
    ) throws -> CommandLineDriver.Outcome {
        try roost(
            "init", folder, "--provider", "postgres", "--url", try address(of: server), "--name", name,
            "--model", "lexical", on: server)
    }

    @Test func `a failure of the server has its exit status and one line with the next step`() throws {
        #expect(try initialize("store", "failures \(UUID())").status == 0)
        let failures: [(change: (inout URLComponents) -> Void, status: Int32, step: String)] = [
            ({ $0.path = "/no_such_database" }, 78, "does not exist; check"),
            (
                {
                    $0.port = 1
                    $0.percentEncodedQuery = "connect_timeout=1"
                }, 69, "check that the server is running"
            ),
            ({ $0.percentEncodedQuery = "sslmode=verify-full&sslrootcert=/none" }, 78, "sslrootcert"),
            (
                { $0.percentEncodedQuery = "options=-c%20default_transaction_read_only%3Don" }, 73,
                "the primary server"
            ),
        ]
        for failure in failures {
            let server = ["ROOST_POSTGRES_URL": try address(failure.change)]
            let outcome = try roost("add", "some text", "--store", "store", environment: server)
            #expect(outcome.status == failure.status, "\(outcome.error)")
            #expect(outcome.error.contains(failure.step), "\(outcome.error)")
            #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
        }
        #expect(try roost("list", "--store", "store").output.isEmpty)
    }

    @Test func `two folders share a store`() throws {
        let name = "command \(UUID())"
        let created = try initialize("first", name)
        #expect(created.status == 0, "\(created.error)")
        #expect(created.error.contains("created a store in 127.0.0.1"))
        #expect(
            try roost("add", "gardens need water in July", "--store", "first", "--tag", "garden").status == 0)

        let joined = try initialize("second", name)
        #expect(joined.status == 0, "\(joined.error)")
        #expect(joined.error.contains("joined the store"))
        #expect(joined.error.contains("with 1 entry "))
        let found = try roost("query", "water for gardens", "--store", "second")
        #expect(found.output.contains("gardens need water in July"), "\(found.error)")

        #expect(try roost("add", "the swift is back", "--store", "second").status == 0)
        let listed = try roost("list", "--store", "first")
        #expect(listed.output.contains("the swift is back"), "\(listed.error)")
        let filtered = try roost("list", "--tag", "garden", "--store", "second")
        #expect(!filtered.output.contains("swift") && filtered.output.contains("gardens"))

        #expect(try roost("recluster", "--store", "first").status == 0)
        #expect(
            try roost("doctor", "--compact", "--store", "first").output.contains("deleted superseded data"))
        let doctor = try roost("doctor", "--store", "second")
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.error)")
        #expect(doctor.output.contains("PostgreSQL"))
        let stats = try roost("status", "--store", "second")
        #expect(stats.output.contains("postgres") && stats.output.contains("search-in client"))
    }

    @Test func `no file contains the password or, in the store's folder, the address`() throws {
        let server = try #require(DatabaseServer.url)
        let components = try #require(URLComponents(string: server))
        let password = try #require(components.password)
        let url = try #require(components.string)
        let outcome = try roost(
            "init", "store", "--provider", "postgres", "--url", url, "--name", "secret \(UUID())", "--model",
            "lexical")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.error.contains("the password of the URL is not stored"))
        let store = driver.home.appendingPathComponent("store")
        for (path, data) in try TemporaryFolder.files(in: driver.home) {
            #expect(!String(decoding: data, as: UTF8.self).contains(password), "\(path)")
        }
        for (path, data) in try TemporaryFolder.files(in: store) {
            #expect(!String(decoding: data, as: UTF8.self).contains("127.0.0.1"), "\(path)")
        }
        let wrong = try roost("list", "--store", "store", password: "wrong")
        #expect(wrong.status == 78)
        #expect(wrong.error.contains("the user and the password (PGPASSWORD"))
    }

    @Test(arguments: DatabaseServer.available)
    func `a search runs in the database if the setting says so`(server: DatabaseServer) throws {
        #expect(try initialize("store", "search \(UUID())", on: server).status == 0)
        for text in ["gardens need water in July", "the swift is back", "bread needs a starter"] {
            #expect(try roost("add", text, "--store", "store", on: server).status == 0)
        }
        let local = try roost("query", "water for gardens", "--store", "store", "--explain", on: server)
        #expect(!local.output.contains("plan in the database"))
        #expect(try roost("config", "search-in", "everywhere").status == 78)
        #expect(try roost("config", "search-in", "database").status == 0)
        let found = try roost("query", "water for gardens", "--store", "store", "--explain", on: server)
        #expect(found.output.contains("plan in the database: exact scan; 3 entries match"), "\(found.output)")
        #expect(found.output.hasPrefix(local.output.prefix(while: { $0 != "\n" })))
        let missing = try roost("status", "--store", "store", on: server).output
        #expect(missing.contains("search-in database"), "\(missing)")
        let built = try roost("index", "--store", "store", on: server)
        #expect(built.output.contains("in the database"), "\(built.output)\(built.error)")
        let state = try roost("status", "--store", "store", on: server)
        #expect(state.output.contains("search-in database, index of"), "\(state.output)")
    }

    @Test(arguments: DatabaseServer.available)
    func `a store is copied to PostgreSQL and back`(server: DatabaseServer) throws {
        #expect(try roost("init", "local", "--model", "lexical").status == 0)
        for number in 0..<20 {
            #expect(try roost("add", "text \(number) about gardens", "--store", "local").status == 0)
        }
        #expect(try roost("recluster", "--clusters", "2", "--store", "local").status == 0)
        #expect(try initialize("team", "copy \(UUID())", on: server).status == 0)
        let there = try roost("copy", "local", "team", on: server)
        #expect(there.status == 0, "\(there.error)")
        #expect(there.output.contains("copied 20 entries"))
        // The second call finds everything in the target.
        #expect(try roost("copy", "local", "team", on: server).status == 0)
        let back = try roost("copy", "team", "back", "--provider", "json", on: server)
        #expect(back.status == 0, "\(back.error)")
        func exported(_ store: String) throws -> String {
            try roost("export", "entries", "--with-embeddings", "--store", store, on: server).output
                + roost("export", "clusters", "--store", store, on: server).output
        }
        #expect(try exported("back") == exported("local"))
        #expect(try roost("add", "another text", "--store", "team", on: server).status == 0)
        let refused = try roost("copy", "local", "team", on: server)
        #expect(refused.status == 78)
        #expect(refused.error.contains("the target contains other entries"))
        #expect(try roost("copy", "local", "local").status == 64)
    }
}
