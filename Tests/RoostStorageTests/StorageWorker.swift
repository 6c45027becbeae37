import CrashWorkload
import Foundation
import RoostTestKit
import TestSupport

/// Runs the executable `storage-worker`, which lets a test use a store from another process.
enum StorageWorker {
    static let tool = TestTool.url("storage-worker")

    static func run(_ job: StorageJob, _ backend: CrashWorkload.Backend, _ folder: URL) async throws {
        try await TestTool.run(
            "storage-worker", ["job", backend.rawValue, folder.path] + job.arguments,
            isKilled: job.kind == .saveAndDie)
    }
}
