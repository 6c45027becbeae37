/// The requests and batches of a connection that are being answered, and those that wait.
///
/// A limited number of them is answered at the same time, and a limited number waits, so that a client cannot
/// use unlimited memory.
struct RequestQueue {
    /// A request, or a batch, whose messages are answered one after another.
    struct Job: Sendable {
        /// The id of the request; `nil` for a batch.
        var id: RequestID?
        /// Whether the request lasts until it is canceled.
        var isSubscription = false
        /// The number of messages.
        var count = 1
        /// The size of the messages in bytes.
        var size: Int
        /// Whether the job has an effect that depends on the order of such jobs, which therefore run one
        /// after another.
        var keepsOrder = false
        /// Answers the messages.
        var run: @Sendable () async -> Void

        /// Creates a job.
        init(
            id: RequestID? = nil, isSubscription: Bool = false, count: Int = 1, size: Int,
            keepsOrder: Bool = false, run: @escaping @Sendable () async -> Void
        ) {
            (self.id, self.isSubscription, self.count, self.size) = (id, isSubscription, count, size)
            (self.keepsOrder, self.run) = (keepsOrder, run)
        }
    }

    /// The maximum number of jobs that run at the same time, without subscriptions.
    static let maximumRunning = 64
    /// The maximum number of subscriptions. They run at once: one that waits could wait forever.
    static let maximumSubscriptions = 64
    /// The maximum number of messages that wait.
    static let maximumWaiting = 1_000
    /// The maximum size of the messages that wait, in bytes.
    static let maximumWaitingSize = 64 << 20

    /// Starts the task of a job. The second argument is the number of the job (``finish(_:start:)``).
    typealias Start = (Job, Int) -> Task<Void, Never>

    private var running: [Int: (task: Task<Void, Never>, isSubscription: Bool)] = [:]
    private var waiting: [(job: Job, number: Int)] = []
    /// The jobs of requests.
    private var numbers: [RequestID: Int] = [:]
    /// The running requests that the client has canceled.
    private var canceled: Set<RequestID> = []
    private var nextNumber = 0
    /// The running job that keeps its order. The others wait, so they do not count as running.
    private var runningOrdered: Int?

    /// The tasks of the running jobs.
    var tasks: [Task<Void, Never>] { running.values.map { $0.task } }
    /// The tasks of the subscriptions.
    var subscriptions: [Task<Void, Never>] { running.values.filter { $0.isSubscription }.map { $0.task } }

    private var subscriptionCount: Int { running.values.count { $0.isSubscription } }

    /// Returns whether a job that is not a subscription can begin now. If one that is added can, none of
    /// those that wait can, because they would have begun.
    private func canBegin(_ job: Job) -> Bool {
        running.count - subscriptionCount < Self.maximumRunning
            && !(job.keepsOrder && runningOrdered != nil)
    }

    /// Begins a job, or adds it to those that wait: if too many run, or if it keeps its order and another
    /// such job runs.
    ///
    /// - Throws: ``ProtocolError`` if too many jobs wait, or another job has the id.
    mutating func add(_ job: Job, start: Start) throws(ProtocolError) {
        if let id = job.id, numbers[id] != nil {
            throw ProtocolError(.invalidRequest, "a request with this id is still being answered")
        }
        let canStart =
            job.isSubscription ? subscriptionCount < Self.maximumSubscriptions : canBegin(job)
        if !canStart {
            let count = waiting.reduce(job.count) { $0 + $1.job.count }
            let size = waiting.reduce(job.size) { $0 + $1.job.size }
            guard !job.isSubscription, count <= Self.maximumWaiting, size <= Self.maximumWaitingSize else {
                throw ProtocolError(.internalError, "too many requests at the same time; try again later")
            }
        }
        let number = nextNumber
        nextNumber += 1
        if let id = job.id { numbers[id] = number }
        if canStart {
            begin(job, number, start)
        } else {
            waiting.append((job, number))
        }
    }

    /// Makes the id of a request available for another one. The request can no longer be canceled.
    ///
    /// - Returns: Whether the client waits for the response, because it has not canceled the request.
    @discardableResult
    mutating func release(_ id: RequestID) -> Bool {
        numbers[id] = nil
        return canceled.remove(id) == nil
    }

    /// Removes a job that has ended, and begins those that wait.
    mutating func finish(_ number: Int, start: Start) {
        running[number] = nil
        if runningOrdered == number { runningOrdered = nil }
        while let index = waiting.firstIndex(where: { canBegin($0.job) }) {
            let (job, number) = waiting.remove(at: index)
            begin(job, number, start)
        }
    }

    private mutating func begin(_ job: Job, _ number: Int, _ start: Start) {
        if job.keepsOrder { runningOrdered = number }
        running[number] = (start(job, number), job.isSubscription)
    }

    /// Removes a request that waits, or records that the client has canceled it.
    ///
    /// - Returns: The task of the request, if it runs.
    mutating func cancel(_ id: RequestID) -> Task<Void, Never>? {
        guard let number = numbers[id] else { return nil }
        if let index = waiting.firstIndex(where: { $0.number == number }) {
            waiting.remove(at: index)
            numbers[id] = nil
        }
        let task = running[number]?.task
        if task != nil { canceled.insert(id) }
        return task
    }

    /// Removes all jobs that wait, and returns the tasks of those that run.
    mutating func cancelAll() -> [Task<Void, Never>] {
        for (job, _) in waiting { if let id = job.id { numbers[id] = nil } }
        waiting = []
        return tasks
    }
}
