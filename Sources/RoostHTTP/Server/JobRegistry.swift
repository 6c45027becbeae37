import Foundation
import HTTPTypes
import RoostFiles
import RoostMCP
import RoostModel

/// The jobs of a store. Jobs are recorded in the store's folder, so that their outcome is known after the
/// server has ended.
actor JobRegistry {
    /// The maximum number of jobs that run at the same time.
    private static let maximumRunning = 2
    /// The maximum number of jobs whose records are kept.
    private static let maximumKept = 100

    private let folder: URL?
    private let advice: @Sendable (Remedy) -> String?
    private var jobs: [Job.ID: Job] = [:]
    private var tasks: [Job.ID: Task<Void, Never>] = [:]
    private var observers: [Job.ID: [UUID: AsyncStream<Job>.Continuation]] = [:]

    /// Creates a registry.
    ///
    /// - Parameter directory: The folder of the store; if it is `nil`, jobs are not recorded.
    init(directory: URL?, advice: @escaping @Sendable (Remedy) -> String?) {
        folder = directory?.appendingPathComponent("jobs", isDirectory: true)
        self.advice = advice
    }

    /// Reads the records of earlier servers. A job of a process that no longer exists was interrupted.
    func recover() {
        guard let folder,
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        else { return }
        for name in names where name.hasSuffix(".json") {
            // A record that cannot be read is ignored, because records are not part of the store's data.
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)),
                var job = try? JSONDecoder().decode(Job.self, from: data)
            else { continue }
            // In a container, a new server often has the process id of the previous one.
            let hasEnded =
                job.process == getpid()
                ? tasks[job.id] == nil : kill(job.process, 0) != 0 && errno == ESRCH
            if job.state == .running, hasEnded {
                job.state = .interrupted
                job.finishedAt = Date()
                record(job)
            }
            jobs[job.id] = job
        }
    }

    /// Starts a job.
    ///
    /// - Parameter work: The work, which calls the function that it receives with its progress, and returns
    ///   the result.
    /// - Throws: ``Problem`` with the status 409 if too many jobs are running.
    func start(
        _ kind: String,
        _ work:
            @escaping @Sendable (_ progress: @escaping @Sendable (Double) -> Void) async throws
            -> JSONValue
    ) throws(Problem) -> Job {
        guard tasks.count < Self.maximumRunning else {
            throw Problem(
                .conflict, "tooManyJobs", "\(Self.maximumRunning) jobs are running; wait until one has ended",
                retryAfter: 5)
        }
        let job = Job(kind: kind)
        update(job)
        record(job)
        tasks[job.id] = Task {
            let outcome: Result<JSONValue, any Error>
            do {
                outcome = .success(
                    try await work { progress in Task { await self.report(progress, of: job.id) } })
            } catch {
                outcome = .failure(error)
            }
            self.finish(job.id, outcome)
        }
        removeOldRecords()
        return job
    }

    /// The known jobs, newest first.
    var all: [Job] { jobs.values.sorted { ($0.createdAt, $0.id.text) > ($1.createdAt, $1.id.text) } }

    /// Returns a job; `nil` if it is unknown.
    func job(_ id: Job.ID) -> Job? { jobs[id] }

    /// Cancels a job. A job that has ended is not changed.
    func cancel(_ id: Job.ID) { tasks[id]?.cancel() }

    /// Cancels all jobs, and returns when they have ended.
    func stop() async {
        let running = tasks
        for task in running.values { task.cancel() }
        for (id, task) in running {
            await task.value
            guard var job = jobs[id], job.state == .canceled else { continue }
            job.state = .interrupted
            update(job)
            record(job)
        }
    }

    /// Returns the states of a job, beginning with the current one and ending when the job has ended.
    func updates(of id: Job.ID) -> AsyncStream<Job>? {
        guard let job = jobs[id] else { return nil }
        let (stream, continuation) = AsyncStream<Job>.makeStream(bufferingPolicy: .bufferingNewest(4))
        continuation.yield(job)
        guard tasks[id] != nil else {
            continuation.finish()
            return stream
        }
        let observer = UUID()
        observers[id, default: [:]][observer] = continuation
        continuation.onTermination = { _ in Task { await self.remove(observer, of: id) } }
        return stream
    }

    // MARK: Changes

    private func remove(_ observer: UUID, of id: Job.ID) { observers[id]?[observer] = nil }

    private func update(_ job: Job) {
        jobs[job.id] = job
        for continuation in (observers[job.id] ?? [:]).values { continuation.yield(job) }
    }

    private func report(_ progress: Double, of id: Job.ID) {
        guard var job = jobs[id], job.state == .running, progress > job.progress else { return }
        job.progress = min(1, progress)
        update(job)
    }

    private func finish(_ id: Job.ID, _ outcome: Result<JSONValue, any Error>) {
        guard var job = jobs[id] else { return }
        job.finishedAt = Date()
        switch outcome {
        case .success(let result):
            (job.state, job.progress, job.result) = (.succeeded, 1, result)
        case .failure(let error) where error is CancellationError:
            job.state = .canceled
        case .failure(let error):
            let problem = Problem(error)
            let advice = problem.remedy.flatMap(advice)
            job.state = .failed
            job.failure = problem.detail + (advice.map { "; \($0)" } ?? "")
        }
        tasks[id] = nil
        update(job)
        record(job)
        for continuation in (observers.removeValue(forKey: id) ?? [:]).values { continuation.finish() }
    }

    // MARK: Records

    private func file(of id: Job.ID) -> URL? { folder?.appendingPathComponent("\(id.text).json") }

    /// Records a job. Records only inform people, so a failure to write one does not end the job.
    private func record(_ job: Job) {
        guard let folder, let file = file(of: job.id) else { return }
        do {
            try FileSystem.standard.createFolder(folder)
            let data = try JSONEncoder().encode(job)
            try AtomicFile.write(data, to: file)
        } catch {}
    }

    private func removeOldRecords() {
        for job in all.dropFirst(Self.maximumKept) where tasks[job.id] == nil && job.state != .running {
            jobs[job.id] = nil
            // The next start removes a record that cannot be removed now.
            if let file = file(of: job.id) { try? FileManager.default.removeItem(at: file) }
        }
    }
}
