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

    /// Returns the recorded jobs. A record that cannot be read is skipped. A job whose server no longer
    /// exists was interrupted, and its record is changed accordingly.
    ///
    /// - Parameter own: The jobs of the caller, which are omitted.
    func all(except own: Set<Job.ID> = []) async -> [Job] {
        await run { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.filter { $0.hasSuffix(".json") }.compactMap { name in
                guard let job = Self.read(folder.appendingPathComponent(name)), !own.contains(job.id) else {
                    return nil
                }
                return Self.settled(job, in: folder)
            }
        } ?? []
    }

    /// Returns the record of a job of another server, as ``all(except:)`` does; `nil` if there is none.
    func job(_ id: Job.ID) async -> Job? {
        await run { folder in
            Self.read(Self.file(of: id, in: folder)).map { Self.settled($0, in: folder) }
        } ?? nil
    }

    private static func read(_ file: URL) -> Job? {
        (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Job.self, from: $0) }
    }

    private static func settled(_ job: Job, in folder: URL) -> Job {
        guard job.state == .running, hasEnded(job, in: folder) else { return job }
        // The server may have recorded the outcome just before its end.
        guard var job = read(file(of: job.id, in: folder)), job.state == .running else { return job }
        job.state = .interrupted
        job.finishedAt = Date()
        try? write(job, in: folder)
        return job
    }

    /// Returns whether the server of a job no longer exists.
    private static func hasEnded(_ job: Job, in folder: URL) -> Bool {
        guard let server = job.server else {
            // In a container, a new server often has the process id of the previous one.
            return job.process == getpid() || kill(job.process, 0) != 0 && errno == ESRCH
        }
        let file = lockFile(of: server, in: folder)
        do {
            guard let lock = try FileLock.shared(file) else { return false }
            withExtendedLifetime(lock) { try? FileManager.default.removeItem(at: file) }
            return true
        } catch let error as FileError where error.isMissing {
            return true
        } catch {
            return false
        }
    }

    /// Takes the lock that shows that a server exists.
    ///
    /// - Returns: `nil` if the folder cannot be locked.
    func lock(for server: UUID) async -> FileLock? {
        await run { folder in
            try FileSystem.standard.createFolder(folder)
            return try FileLock.acquire(Self.lockFile(of: server, in: folder), timeout: 0)
        }
    }

    /// Releases the lock of a server whose jobs have all ended.
    func unlock(_ lock: FileLock, for server: UUID) async {
        await run { folder in
            try? FileManager.default.removeItem(at: Self.lockFile(of: server, in: folder))
            lock.release()
        }
    }

    /// Records a job. An earlier record of the job is replaced.
    func write(_ job: Job) async {
        await run { folder in try Self.write(job, in: folder) }
    }

    private static func write(_ job: Job, in folder: URL) throws {
        try FileSystem.standard.createFolder(folder)
        try AtomicFile.write(try JSONEncoder().encode(job), to: file(of: job.id, in: folder))
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

    private static func lockFile(of server: UUID, in folder: URL) -> URL {
        folder.appendingPathComponent("\(server.text).lock")
    }

    /// Runs work after the work of earlier calls has ended, even if the task has been canceled.
    @discardableResult
    private func run<Value: Sendable>(_ body: @escaping @Sendable (URL) throws -> Value) async -> Value? {
        // A record must not create the folder of a store that was moved away.
        guard let folder,
            FileManager.default.fileExists(atPath: folder.deletingLastPathComponent().path)
        else { return nil }
        return try? await queue.run(isStoppable: false) {
            try await BlockingWork.run { _ in try body(folder) }
        }
    }
}
