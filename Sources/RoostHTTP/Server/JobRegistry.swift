import Foundation
import HTTPTypes
import RoostFiles
import RoostMCP
import RoostModel

/// The jobs of a store. Jobs are recorded in the store's folder, so that their outcome is known after the
/// server has ended, and to other servers of the store. Jobs of other servers are read from their records.
actor JobRegistry {
    /// Receives the finished share of a job, from 0 to 1, and the present step.
    typealias Progress = @Sendable (_ share: Double, _ step: String?) -> Void

    /// The maximum number of jobs that run at the same time.
    private static let maximumRunning = 2
    /// The maximum number of jobs whose records are kept.
    private static let maximumKept = 100
    /// The time between two reads of the record of a job of another server.
    private static let pollInterval = Duration.milliseconds(250)
    /// The minimum time between two records of a job's progress, which other servers read.
    private static let recordInterval = Duration.seconds(1)

    private let records: JobRecords
    private let advice: @Sendable (Remedy) -> String?
    private let server = UUID()
    /// The lock that shows other servers that this one exists; `nil` before the first job.
    private var lock: FileLock?
    /// The jobs of this server.
    private var jobs: [Job.ID: Job] = [:]
    private var recorded: [Job.ID: ContinuousClock.Instant] = [:]
    private var tasks: [Job.ID: Task<Void, Never>] = [:]
    private var observers: [Job.ID: [UUID: AsyncStream<Job>.Continuation]] = [:]

    /// Creates a registry.
    ///
    /// - Parameter directory: The folder of the store; if it is `nil`, jobs are not recorded.
    init(directory: URL?, advice: @escaping @Sendable (Remedy) -> String?) {
        records = JobRecords(of: directory)
        self.advice = advice
    }

    /// Reads the records of earlier servers, and records which of their jobs were interrupted.
    func recover() async { _ = await all }

    /// Starts a job.
    ///
    /// - Parameter work: The work, which calls the function that it receives with its progress, and returns
    ///   the result.
    /// - Throws: ``Problem`` with the status 409 if too many jobs are running.
    func start(
        _ kind: String,
        _ work:
            @escaping @Sendable (_ progress: @escaping Progress) async throws -> JSONValue
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
                    try await work { share, step in
                        Task { await self.report(share, step, of: job.id) }
                    })
            } catch {
                outcome = .failure(error)
            }
            await self.finish(job.id, outcome)
        }
        if lock == nil, let taken = await records.lock(for: server) { lock = taken }
        if lock != nil { jobs[job.id]?.server = server }
        // The job may have ended meanwhile.
        await records.write(jobs[job.id] ?? job)
        await removeOldJobs()
        return job
    }

    /// The known jobs, newest first.
    var all: [Job] {
        get async {
            let others = await records.all(except: Set(jobs.keys))
            return (jobs.values + others.filter { jobs[$0.id] == nil })
                .sorted { ($0.createdAt, $0.id.text) > ($1.createdAt, $1.id.text) }
        }
    }

    /// Returns a job; `nil` if it is unknown.
    func job(_ id: Job.ID) async -> Job? {
        if let job = jobs[id] { return job }
        return await records.job(id)
    }

    /// Cancels a job. A job that has ended is not changed.
    ///
    /// - Throws: ``Problem`` with the status 409 if another server runs the job.
    func cancel(_ job: Job) throws(Problem) {
        guard jobs[job.id] == nil else {
            tasks[job.id]?.cancel()
            return
        }
        guard job.state != .running else {
            throw Problem(
                .conflict, "otherServer",
                "another server of the store runs the job, and only that server can cancel it")
        }
    }

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
        if let lock { await records.unlock(lock, for: server) }
        lock = nil
    }

    /// Returns the states of a job, beginning with the current one and ending when the job has ended.
    ///
    /// - Returns: `nil` if the job is unknown.
    func updates(of id: Job.ID) async -> AsyncStream<Job>? {
        guard let job = jobs[id] else { return await recordedUpdates(of: id) }
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

    /// Returns the states of a job of another server, by reading its record repeatedly.
    private func recordedUpdates(of id: Job.ID) async -> AsyncStream<Job>? {
        guard let first = await records.job(id) else { return nil }
        let (stream, continuation) = AsyncStream<Job>.makeStream(bufferingPolicy: .bufferingNewest(4))
        let records = records
        let task = Task {
            defer { continuation.finish() }
            var last = first
            continuation.yield(last)
            while last.state == .running {
                try await Task.sleep(for: Self.pollInterval)
                guard let next = await records.job(id) else { return }
                if next != last { continuation.yield(next) }
                last = next
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    // MARK: Changes

    private func remove(_ observer: UUID, of id: Job.ID) { observers[id]?[observer] = nil }

    private func update(_ job: Job) {
        jobs[job.id] = job
        for continuation in (observers[job.id] ?? [:]).values { continuation.yield(job) }
    }

    private func report(_ share: Double, _ step: String?, of id: Job.ID) async {
        guard var job = jobs[id], job.state == .running, share > job.progress else { return }
        (job.progress, job.step) = (min(1, share), step)
        update(job)
        let now = ContinuousClock.now
        if let last = recorded[id], now - last < Self.recordInterval { return }
        recorded[id] = now
        await records.write(job)
    }

    private func finish(_ id: Job.ID, _ outcome: Result<JSONValue, any Error>) async {
        guard var job = jobs[id] else { return }
        (job.finishedAt, job.step, recorded[id]) = (Date(), nil, nil)
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
        let old = await all.dropFirst(Self.maximumKept).filter { tasks[$0.id] == nil && $0.state != .running }
        for job in old { jobs[job.id] = nil }
        await records.remove(old.map(\.id))
    }
}
