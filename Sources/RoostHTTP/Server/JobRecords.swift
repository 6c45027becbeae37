import Foundation
import RoostFiles
import RoostModel

/// The records of jobs: one file per job, in the folder `jobs` of the store.
///
/// Files are read and written on separate threads, one after the other, so that the records of a job are
/// written in the order of the calls. Records only inform people, so a failure to write or remove one is
/// ignored.
struct JobRecords: Sendable {
    private let folder: URL?
    private let queue = TaskQueue()

    /// Creates the records of a store.
    ///
    /// - Parameter directory: The folder of the store; if it is `nil`, jobs are not recorded.
    init(of directory: URL?) {
        folder = directory?.appendingPathComponent("jobs", isDirectory: true)
    }

    /// Returns the recorded jobs. A record that cannot be read is skipped.
    func all() async -> [Job] {
        await run { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.filter { $0.hasSuffix(".json") }.compactMap { name in
                guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else {
                    return nil
                }
                return try? JSONDecoder().decode(Job.self, from: data)
            }
        } ?? []
    }

    /// Records a job. An earlier record of the job is replaced.
    func write(_ job: Job) async {
        await run { folder in
            try FileSystem.standard.createFolder(folder)
            try AtomicFile.write(try JSONEncoder().encode(job), to: Self.file(of: job.id, in: folder))
        }
    }

    /// Removes the records of jobs.
    func remove(_ ids: [Job.ID]) async {
        guard !ids.isEmpty else { return }
        await run { folder in
            for id in ids { try? FileManager.default.removeItem(at: Self.file(of: id, in: folder)) }
        }
    }

    /// Returns when the records of all earlier calls have been written.
    func waitForWrites() async { await run { _ in } }

    private static func file(of id: Job.ID, in folder: URL) -> URL {
        folder.appendingPathComponent("\(id.text).json")
    }

    /// Runs work after the work of earlier calls has ended, even if the task has been canceled.
    @discardableResult
    private func run<Value: Sendable>(_ body: @escaping @Sendable (URL) throws -> Value) async -> Value? {
        guard let folder else { return nil }
        return try? await queue.run(isStoppable: false) {
            try await BlockingWork.run { _ in try body(folder) }
        }
    }
}
