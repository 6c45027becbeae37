import Foundation
import RoostModel
import RoostTestKit
import TestSupport
import Testing

@testable import RoostPostgres

/// A store in a test server.
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
