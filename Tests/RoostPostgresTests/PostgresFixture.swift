import Foundation
import RoostModel
import RoostTestKit
import TestSupport
import Testing

@testable import RoostPostgres

/// The server that `Scripts/test` starts, or another one whose URL is in `ROOST_TEST_POSTGRES`.
enum TestServer {
    static let url = ProcessInfo.processInfo.environment["ROOST_TEST_POSTGRES"].flatMap {
        $0.isEmpty ? nil : $0
    }

    /// The trait of tests that need the server.
    static let isRequired: any (TestTrait & SuiteTrait) = ConditionTrait.enabled(
        if: url != nil, "ROOST_TEST_POSTGRES does not name a PostgreSQL server; Scripts/test starts one")

    /// Returns the address of the server.
    ///
    /// - Parameters:
    ///   - port: The port of a proxy, with which the connection is not encrypted.
    ///   - application: The name of the client in the list of the server's sessions.
    ///   - changes: Other changed settings.
    static func settings(
        port: UInt16? = nil, application: String? = nil, _ changes: [String: String] = [:]
    ) throws -> ConnectionSettings {
        var values = try ConnectionSettings(#require(url)).values
        if let port {
            values.merge(["port": "\(port)", "sslmode": "disable", "gssencmode": "disable"]) { $1 }
        }
        if let application { values["application_name"] = application }
        values.merge(changes) { $1 }
        // In a list of settings, quotation marks and backslashes are escaped.
        let list = values.map { name, value in
            "\(name)='\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }
        return try ConnectionSettings(list.joined(separator: " "))
    }

    /// Creates a database for a test that locks whole tables, for which tests of the same database would
    /// wait.
    static func newDatabase() throws -> ConnectionSettings {
        let name = "roost_\(UUID().uuidString.replacing("-", with: "").lowercased())"
        try Connection(try settings()).execute("CREATE DATABASE \(name)", CallLimits(.seconds(1200)))
        return try settings(["dbname": name])
    }

    /// Returns a name that no other test uses.
    static func newName() -> String { "test \(UUID().uuidString)" }
}

/// A store in the test server.
struct PostgresFixture: StorageFixture {
    let level = StorageLevel.severalProcesses
    let name = TestServer.newName()

    func open() async throws -> any StorageProvider { try await provider() }

    func provider(
        _ change: (inout PostgresStorageProvider.Options) -> Void = { _ in }
    ) async throws -> PostgresStorageProvider {
        var options = PostgresStorageProvider.Options()
        options.lockTimeout = 600
        change(&options)
        return try await PostgresStorageProvider(
            address: try TestServer.settings(), name: name, options: options)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func run(_ job: StorageJob) async throws {
        let process = Process()
        process.executableURL = TestTool.url("postgres-worker")
        process.arguments = [name] + job.arguments
        let error = Pipe()
        process.standardError = error
        let ended = AsyncStream<Bool> { continuation in
            process.terminationHandler = { process in
                let (reason, status) = (process.terminationReason, process.terminationStatus)
                let isExpected =
                    job.kind == .saveAndDie
                    ? reason == .uncaughtSignal && status == SIGKILL : reason == .exit && status == 0
                continuation.yield(isExpected)
                continuation.finish()
            }
        }
        try TestTool.start(process)
        for await isExpected in ended where !isExpected {
            let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            throw Failure(
                description: "\(job.arguments) ended with \(process.terminationStatus) "
                    + "(\(process.terminationReason)): \(text.suffix(600))")
        }
    }

    /// The rows of the store stay in the database, which is deleted with the server.
    func tearDown() async {}
}

extension ConnectionSettings {
    /// The port of the server.
    var port: UInt16? { values["port"].flatMap { UInt16($0) } }
}
