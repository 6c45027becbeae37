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
        let ended = AsyncStream<Bool> { continuation in
            process.terminationHandler = { process in
                let (reason, status) = (process.terminationReason, process.terminationStatus)
                // A worker that is killed by a signal, for example because it trapped, has failed, too.
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
}
