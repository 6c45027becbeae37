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

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func run(_ job: StorageJob) async throws {
        let process = Process()
        process.executableURL = TestTool.url("postgres-worker")
        process.arguments = [name] + job.arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            [TestServer.main.variable: server.url ?? ""]) { $1 }
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
