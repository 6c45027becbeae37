import Foundation
import RoostModel
import RoostTestKit
import TestSupport
import Testing

@testable import RoostPostgres

/// A server that `Scripts/test` starts, or another one whose URL is in an environment variable.
struct TestServer: Sendable, CustomTestStringConvertible {
    let variable: String
    let url: String?

    private init(_ variable: String) {
        self.variable = variable
        let value = ProcessInfo.processInfo.environment[variable] ?? ""
        url = value.isEmpty ? nil : value
    }

    /// The server of all tests: PostgreSQL 16 by default.
    static let main = TestServer("ROOST_TEST_POSTGRES")
    static let version18 = TestServer("ROOST_TEST_POSTGRES_18")
    static let available = [main, version18].filter { $0.url != nil }

    var testDescription: String { variable }

    var isRequired: any (TestTrait & SuiteTrait) {
        ConditionTrait.enabled(
            if: url != nil, "\(variable) does not name a PostgreSQL server; Scripts/test starts one")
    }

    static var isRequired: any (TestTrait & SuiteTrait) { main.isRequired }

    /// Returns the address of the server.
    ///
    /// - Parameters:
    ///   - port: The port of a proxy, with which the connection is not encrypted.
    ///   - application: The name of the client in the list of the server's sessions.
    ///   - changes: Other changed settings.
    func settings(
        port: UInt16? = nil, application: String? = nil, _ changes: [String: String] = [:]
    ) throws -> ConnectionSettings {
        var values = try ConnectionSettings(#require(url)).values
        if let port {
            values.merge(["port": "\(port)", "sslmode": "disable", "gssencmode": "disable"]) { $1 }
        }
        if let application { values["application_name"] = application }
        return try ConnectionSettings(list: values.merging(changes) { $1 })
    }

    static func settings(
        port: UInt16? = nil, application: String? = nil, _ changes: [String: String] = [:]
    ) throws -> ConnectionSettings {
        try main.settings(port: port, application: application, changes)
    }

    /// Creates a database for a test that locks whole tables, for which tests of the same database would wait.
    static func newDatabase() throws -> ConnectionSettings {
        let name = "roost_\(UUID().uuidString.replacing("-", with: "").lowercased())"
        try Connection(try settings()).execute("CREATE DATABASE \(name)", CallLimits(.seconds(1200)))
        return try settings(["dbname": name])
    }

    static func newName() -> String { "test \(UUID().uuidString)" }
}

extension ConnectionSettings {
    init(list values: [String: String]) throws {
        // In a list of settings, quotation marks and backslashes are escaped.
        let list = values.map { name, value in
            "\(name)='\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }
        try self.init(list.joined(separator: " "))
    }

    var port: UInt16? { values["port"].flatMap { UInt16($0) } }
}

struct PostgresFixture: StorageFixture {
    let level = StorageLevel.severalProcesses
    let name = TestServer.newName()
    var server = TestServer.main
    /// The size in bytes from which a part of a commit is sent; `nil` for the usual size.
    var partSize: Int?

    func open() async throws -> any StorageProvider { try await provider() }

    func provider(
        _ change: (inout PostgresStorageProvider.Options) -> Void = { _ in }
    ) async throws -> PostgresStorageProvider {
        var options = PostgresStorageProvider.Options()
        options.lockTimeout = 600
        if let partSize { options.partSize = partSize }
        change(&options)
        return try await PostgresStorageProvider(
            address: try server.settings(), name: name, options: options)
    }

    func run(_ job: StorageJob) async throws {
        try await TestTool.run(
            "postgres-worker", [name] + job.arguments,
            environment: [TestServer.main.variable: server.url ?? ""], isKilled: job.kind == .saveAndDie)
    }

    /// The rows of the store stay in the database, which is deleted with the server.
    func tearDown() async {}
}

/// Triggers that reject the first transactions that write to a table.
struct Rejections {
    static let number = 3

    let connection: Connection
    let name = "reject_\(UUID().uuidString.replacing("-", with: "").lowercased())"

    init(
        state: String, _ message: String = "rejected by the test", table: String,
        _ settings: ConnectionSettings
    ) throws {
        connection = try Connection(settings)
        try execute("CREATE SEQUENCE \(name)_count")
        // A sequence is not rolled back with the transaction.
        try execute(
            """
            CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('\(name)_count') <= \(Self.number) THEN
                    RAISE EXCEPTION '\(message)' USING ERRCODE = '\(state)';
                END IF;
                RETURN NEW;
            END $$
            """)
        try execute(
            """
            CREATE TRIGGER \(name) BEFORE INSERT OR UPDATE ON roost.\(table) FOR EACH ROW
            EXECUTE FUNCTION \(name)()
            """)
    }

    private func execute(_ sql: String) throws { try connection.execute(sql, CallLimits(.seconds(1200))) }

    func count() throws -> Int {
        try connection.run(
            Statement("SELECT nextval('\(name)_count')", isKept: false), CallLimits(.seconds(1200))
        ).rows[0].int(0)
    }
}
