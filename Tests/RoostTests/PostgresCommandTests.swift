import Foundation
import TestSupport
import Testing

/// The server that `Scripts/test` starts, or another one.
private enum DatabaseServer {
    static let url = ProcessInfo.processInfo.environment["ROOST_TEST_POSTGRES"].flatMap {
        $0.isEmpty ? nil : $0
    }
}

/// The `roost` command with stores in PostgreSQL.
@Suite(
    .temporaryFolders,
    .enabled(
        if: DatabaseServer.url != nil,
        "ROOST_TEST_POSTGRES does not name a PostgreSQL server; Scripts/test starts one"))
struct PostgresCommandTests {
    private let driver = CommandLineDriver()

    /// Runs a command with the password of the server in the environment.
    private func roost(_ arguments: String..., password: String? = nil) throws -> CommandLineDriver.Outcome {
        let server = try #require(DatabaseServer.url)
        let known = try #require(URLComponents(string: server)?.password)
        let secret = password ?? known
        let running = try driver.start(arguments, environment: ["PGPASSWORD": secret])
        try running.input.close()
        return try running.outcome()
    }

    /// The URL of the server without its password.
    private func address() throws -> String {
        let server = try #require(DatabaseServer.url)
        var components = try #require(URLComponents(string: server))
        components.password = nil
        return try #require(components.string)
    }

    private func initialize(_ folder: String, _ name: String) throws -> CommandLineDriver.Outcome {
        try roost(
            "init", folder, "--provider", "postgres", "--url", try address(), "--name", name, "--model",
            "lexical")
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
        #expect(joined.error.contains("with 1 entries"))
        let found = try roost("query", "water for gardens", "--store", "second")
        #expect(found.output.contains("gardens need water in July"), "\(found.error)")

        #expect(try roost("add", "the swift is back", "--store", "second").status == 0)
        let listed = try roost("list", "--store", "first")
        #expect(listed.output.contains("the swift is back"), "\(listed.error)")
        let filtered = try roost("list", "--tag", "garden", "--store", "second")
        #expect(!filtered.output.contains("swift") && filtered.output.contains("gardens"))

        #expect(try roost("recluster", "--store", "first").status == 0)
        #expect(try roost("compact", "--store", "first").output.contains("deleted superseded data"))
        let doctor = try roost("doctor", "--store", "second")
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.error)")
        #expect(doctor.output.contains("PostgreSQL"))
        let stats = try roost("stats", "--store", "second")
        #expect(stats.output.contains("postgres") && stats.output.contains("search-in: client"))
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
        #expect(wrong.error.contains("check the user and the password"))
    }

    @Test func `a store whose server is not known is refused with the next step`() throws {
        #expect(try initialize("store", "unknown \(UUID())").status == 0)
        let servers = driver.home.appendingPathComponent(".config/roost/servers.json")
        try FileManager.default.removeItem(at: servers)
        let outcome = try roost("list", "--store", "store")
        #expect(outcome.status == 78)
        #expect(outcome.error.contains("ROOST_POSTGRES_URL"))
    }

    @Test func `verbs that cannot work explain why`() throws {
        #expect(try initialize("store", "verbs \(UUID())").status == 0)
        #expect(try roost("add", "some text", "--store", "store").status == 0)
        let reembed = try roost("reembed", "--model", "lexical", "--store", "store")
        #expect(reembed.status != 0)
        #expect(reembed.error.contains("cannot move a store in PostgreSQL to another model"))
        let migrate = try roost("migrate", "--to", "sqlite", "copy", "--store", "store")
        #expect(migrate.status != 0)
        #expect(migrate.error.contains("`roost copy FROM TO`"))
        let limited = try roost("compact", "--max-size", "1GB", "--store", "store")
        #expect(limited.status == 64)
        #expect(limited.error.contains("no maximum size"))
        let setting = try roost("config", "provider", "postgres")
        #expect(setting.status == 78)
    }

    @Test func `a search runs in the database if the setting says so`() throws {
        #expect(try initialize("store", "search \(UUID())").status == 0)
        for text in ["gardens need water in July", "the swift is back", "bread needs a starter"] {
            #expect(try roost("add", text, "--store", "store").status == 0)
        }
        let local = try roost("query", "water for gardens", "--store", "store", "--explain")
        #expect(!local.output.contains("plan in the database"))
        #expect(try roost("config", "search-in", "everywhere").status == 78)
        #expect(try roost("config", "search-in", "database").status == 0)
        let found = try roost("query", "water for gardens", "--store", "store", "--explain")
        #expect(found.output.contains("plan in the database: exact scan; 3 entries match"), "\(found.output)")
        #expect(found.output.hasPrefix(local.output.prefix(while: { $0 != "\n" })))
        #expect(try roost("stats", "--store", "store").output.contains("search-in: database"))
        let missing = try roost("index", "stats", "--store", "store")
        #expect(missing.status == 1)
        let built = try roost("index", "build", "--store", "store")
        #expect(built.output.contains("of vectors in the database"), "\(built.output)\(built.error)")
        let state = try roost("index", "stats", "--store", "store")
        #expect(state.output.contains("database  ") && state.output.contains("of vectors"), "\(state.output)")
    }

    @Test func `a store is copied to PostgreSQL and back`() throws {
        #expect(try roost("init", "local", "--model", "lexical").status == 0)
        for number in 0..<20 {
            #expect(try roost("add", "text \(number) about gardens", "--store", "local").status == 0)
        }
        #expect(try roost("recluster", "--clusters", "2", "--store", "local").status == 0)
        #expect(try initialize("team", "copy \(UUID())").status == 0)
        let there = try roost("copy", "local", "team")
        #expect(there.status == 0, "\(there.error)")
        #expect(there.output.contains("copied 20 entries"))
        // The second call finds everything in the target.
        #expect(try roost("copy", "local", "team").status == 0)
        let back = try roost("copy", "team", "back", "--provider", "json")
        #expect(back.status == 0, "\(back.error)")
        func exported(_ store: String) throws -> String {
            try roost("export", "entries", "--with-embeddings", "--store", store).output
                + roost("export", "clusters", "--store", store).output
        }
        #expect(try exported("back") == exported("local"))
        #expect(try roost("add", "another text", "--store", "team").status == 0)
        let refused = try roost("copy", "local", "team")
        #expect(refused.status == 78)
        #expect(refused.error.contains("entries that the store does not have"))
        #expect(try roost("copy", "local", "local").status == 64)
    }

    @Test func `a backup is restored into a folder, and the last command is undone`() throws {
        #expect(try initialize("store", "backup \(UUID())").status == 0)
        #expect(try roost("add", "kept in the backup", "--store", "store").status == 0)
        let created = try roost("backup", "create", "--store", "store")
        #expect(created.status == 0, "\(created.error)")
        let restored = try roost("backup", "restore", "latest", "--into", "copy", "--store", "store")
        #expect(restored.status == 0, "\(restored.error)")
        #expect(try roost("list", "--store", "copy").output.contains("kept in the backup"))
        #expect(try roost("undo", "--store", "store").status == 0)
        #expect(try !roost("list", "--store", "store").output.contains("kept in the backup"))
    }
}
