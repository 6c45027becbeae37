import Foundation
import HTTPTypes
import RoostMCP
import RoostModel

/// The jobs of a store. Jobs are recorded in the store's folder, so that their outcome is known after the
/// server has ended.
actor JobRegistry {
    /// The maximum number of jobs that run at the same time.
    private static let maximumRunning = 2
    /// The maximum number of jobs whose records are kept.
    private static let maximumKept = 100

    private let records: JobRecords
    private let advice: @Sendable (Remedy) -> String?
    private var jobs: [Job.ID: Job] = [:]
    private var tasks: [Job.ID: Task<Void, Never>] = [:]
    private var observers: [Job.ID: [UUID: AsyncStream<Job>.Continuation]] = [:]

    /// Creates a registry.
    ///
    /// - Parameter directory: The folder of the store; if it is `nil`, jobs are not recorded.
    init(directory: URL?, advice: @escaping @Sendable (Remedy) -> String?) {
        records = JobRecords(of: directory)
        self.advice = advice
    }

    /// Reads the records of earlier servers. A job of a process that no longer exists was interrupted.
    func recover() async {
        var interrupted: [Job] = []
        for var job in await records.all() where jobs[job.id] == nil {
            // In a container, a new server often has the process id of the previous one.
            let hasEnded = job.process == getpid() || kill(job.process, 0) != 0 && errno == ESRCH
            if job.state == .running, hasEnded {
                job.state = .interrupted
                job.finishedAt = Date()
                interrupted.append(job)
            }
            jobs[job.id] = job
        }
        for job in interrupted { await records.write(job) }
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
    ) async throws(Problem) -> Job {
        guard tasks.count < Self.maximumRunning else {
            throw Problem(
                .conflict, "tooManyJobs", "\(Self.maximumRunning) jobs are running; wait until one has ended",
                retryAfter: 5)
        }
        let job = Job(kind: kind)
        update(job)
        // No other call may run between the check of the limit and this assignment, so the record is written
        // afterwards.
        tasks[job.id] = Task {
            let outcome: Result<JSONValue, any Error>
            do {
                outcome = .success(
                    try await work { progress in Task { await self.report(progress, of: job.id) } })
            } catch {
                outcome = .failure(error)
            }
            await self.finish(job.id, outcome)
        }
        await records.write(job)
        await removeOldJobs()
        return job
    }

    /// The known jobs, newest first.
    var all: [Job] { jobs.values.sorted { ($0.createdAt, $0.id.text) > ($1.createdAt, $1.id.text) } }

    /// Returns a job; `nil` if it is unknown.
    func job(_ id: Job.ID) -> Job? { jobs[id] }

    /// Cancels a job. A job that has ended is not changed.
    func cancel(_ id: Job.ID) { tasks[id]?.cancel() }

    /// Cancels all jobs, and returns when they have ended and are recorded.
    func stop() async {
        let running = tasks
        for task in running.values { task.cancel() }
        for (id, task) in running {
            await task.value
            guard var job = jobs[id], job.state == .canceled else { continue }
            job.state = .interrupted
            update(job)
            await records.write(job)
        }
        await records.waitForWrites()
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

    private func finish(_ id: Job.ID, _ outcome: Result<JSONValue, any Error>) async {
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
        for continuation in (observers.removeValue(forKey: id) ?? [:]).values { continuation.finish() }
        await records.write(job)
    }

    private func removeOldJobs() async {
        let old = all.dropFirst(Self.maximumKept).filter { tasks[$0.id] == nil && $0.state != .running }
        for job in old { jobs[job.id] = nil }
        await records.remove(old.map(\.id))
    }
}
