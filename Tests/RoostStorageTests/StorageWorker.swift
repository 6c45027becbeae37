import CrashWorkload
import Foundation
import RoostTestKit
import TestSupport

/// Runs the executable `storage-worker`, which lets a test use a store from another process.
enum StorageWorker {
    static let tool = TestTool.url("storage-worker")

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func run(_ job: StorageJob, _ backend: CrashWorkload.Backend, _ folder: URL) async throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = ["job", backend.rawValue, folder.path] + job.arguments
        let error = Pipe()
        process.standardError = error
        let ended = AsyncStream<Int32> { continuation in
            process.terminationHandler = { process in
                continuation.yield(
                    process.terminationReason == .uncaughtSignal ? -1 : process.terminationStatus)
                continuation.finish()
            }
        }
        try TestTool.start(process)
        for await status in ended where status > 0 {
            let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            throw Failure(description: "\(job.arguments) ended with \(status): \(text.suffix(300))")
        }
    }
}
