import CPostgres
import Dispatch
import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// `Sendable` is unchecked because the compiler cannot see that the pool gives a connection to one call at a
/// time, so that only one thread uses it.
final class Connection: @unchecked Sendable {
    let handle: OpaquePointer
    private let settings: ConnectionSettings
    private var prepared: [String: String] = [:]
    /// Whether a call failed in a way after which the state of the connection is unknown.
    private var isBroken = false

    private static let checkInterval: Int32 = 20

    init(_ settings: ConnectionSettings) throws {
        self.settings = settings
        let pairs = Array(settings.values)
        var names: [UnsafePointer<CChar>?] = pairs.map { UnsafePointer(strdup($0.key)) } + [nil]
        var values: [UnsafePointer<CChar>?] = pairs.map { UnsafePointer(strdup($0.value)) } + [nil]
        defer { for text in names + values { free(UnsafeMutablePointer(mutating: text)) } }
        guard let handle = PQconnectdbParams(&names, &values, 0) else {
            throw ConnectionError.refused(message: "out of memory")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else {
            // The object is complete, so its deinitializer closes the handle.
            throw ConnectionError.refused(message: lastMessage)
        }
        PQsetnonblocking(handle, 1)
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    /// The latest error message of libpq, without secrets.
    private var lastMessage: String { settings.redacted(String(cString: PQerrorMessage(handle))) }

    /// Whether the connection can be used for another call: it is intact and no transaction is open.
    var isIdle: Bool {
        guard !isBroken, PQstatus(handle) == CONNECTION_OK, PQtransactionStatus(handle) == PQTRANS_IDLE else {
            return false
        }
        // An idle connection receives bytes only if the server closes it.
        var status = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&status, 1, 0) > 0 else { return true }
        return PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK
    }

    var isInTransaction: Bool {
        !isBroken && [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(handle))
    }

    // MARK: Statements

    /// Runs statements in one round trip (libpq's pipeline mode). If one fails, those after it are not run.
    ///
    /// - Throws: `ConnectionError`; `CancellationError`. After an error other than `.rejected`, the
    ///   connection cannot be used again.
    func run(_ statements: [Statement], _ limits: CallLimits) throws -> [QueryResult] {
        do {
            guard PQenterPipelineMode(handle) == 1 else { throw lost() }
            let commands = try statements.flatMap(send)
            guard PQpipelineSync(handle) == 1 else { throw lost() }
            let results = try receive(commands, limits)
            guard PQexitPipelineMode(handle) == 1 else { throw lost() }
            return try results.get()
        } catch {
            noteFailure(error)
            throw error
        }
    }

    func run(_ statement: Statement, _ limits: CallLimits) throws -> QueryResult {
        try run([statement], limits)[0]
    }

    /// Runs a statement outside of a transaction and without parameters, such as a definition of a table.
    func execute(_ sql: String, _ limits: CallLimits) throws {
        _ = try run(Statement(sql, isKept: false), limits)
    }

    /// Ends an open transaction without committing it. After an error the connection is discarded, which has
    /// the same effect.
    func rollBack(_ limits: CallLimits) {
        _ = try? run(TableSQL.rollback, limits.withoutCancellation)
    }

    private enum Command {
        case preparation(sql: String, name: String)
        case query
    }

    private func send(_ statement: Statement) throws -> [Command] {
        var commands: [Command] = []
        let name: String
        if let known = prepared[statement.sql] {
            name = known
        } else {
            name = statement.isKept ? "roost\(prepared.count)" : ""
            guard PQsendPrepare(handle, name, statement.sql, 0, nil) == 1 else { throw lost() }
            // The name is reserved at once. If the statement turns out to be invalid, it is forgotten.
            if statement.isKept { prepared[statement.sql] = name }
            commands.append(.preparation(sql: statement.sql, name: name))
        }
        let parameters = statement.parameters
        // The values are copied into one array, so that all pointers stay valid during the call.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        let starts = parameters.map { parameter in
            defer { bytes += parameter.bytes ?? [] }
            return bytes.count
        }
        bytes.append(0)
        let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
        let formats = parameters.map { _ in Int32(1) }
        let isSent = bytes.withUnsafeBytes { buffer in
            let base = buffer.bindMemory(to: CChar.self).baseAddress
            let values = zip(parameters, starts).map { parameter, start in
                parameter.bytes == nil ? nil : base.map { $0 + start }
            }
            return PQsendQueryPrepared(
                handle, name, Int32(parameters.count), values, lengths, formats, 1) == 1
        }
        guard isSent else { throw lost() }
        return commands + [.query]
    }

    /// - Returns: The results of the queries, or the rejection of the first failed one.
    private func receive(
        _ commands: [Command], _ limits: CallLimits
    ) throws -> Result<[QueryResult], ConnectionError> {
        var results: [QueryResult] = []
        var failure: ConnectionError?
        for command in commands {
            guard let result = try nextResult(limits) else { throw lost() }
            let status = PQresultStatus(result)
            switch status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                if case .query = command { results.append(QueryResult(result)) } else { PQclear(result) }
            default:
                if case .preparation(let sql, _) = command { prepared[sql] = nil }
                if failure == nil, status != PGRES_PIPELINE_ABORTED { failure = rejection(result) }
                PQclear(result)
            }
            // A null result separates the commands.
            if let extra = try nextResult(limits) {
                PQclear(extra)
                throw lost()
            }
        }
        guard let end = try nextResult(limits) else { throw lost() }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw failure ?? lost() }
        return failure.map { .failure($0) } ?? .success(results)
    }

    private func rejection(_ result: OpaquePointer) -> ConnectionError {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        // These are PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY, which Swift does not import.
        guard let state = field("C") else { return lost() }
        return .rejected(state: state, message: settings.redacted(field("M") ?? "unknown error"))
    }

    // MARK: Waiting

    private func nextResult(_ limits: CallLimits) throws -> OpaquePointer? {
        try flush(limits)
        while PQisBusy(handle) == 1 { try wait(limits, sending: false) }
        return PQgetResult(handle)
    }

    private func flush(_ limits: CallLimits) throws {
        while true {
            let state = PQflush(handle)
            if state == 0 { return }
            guard state == 1 else { throw lost() }
            try wait(limits, sending: true)
        }
    }

    /// Waits until the socket is ready or a short time has passed, and reads the bytes that have arrived.
    private func wait(_ limits: CallLimits, sending: Bool) throws {
        let events = Int16(POLLIN) | (sending ? Int16(POLLOUT) : 0)
        var status = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        let ready = poll(&status, 1, Self.checkInterval)
        if ready < 0, errno != EINTR { throw lost() }
        // Input is read after a timeout, too: the TLS library can hold bytes that `poll` does not report.
        let mayBeReadable = ready <= 0 || status.revents & ~Int16(POLLOUT) != 0
        if mayBeReadable, PQconsumeInput(handle) == 0 { throw lost() }
        try limits.check()
    }

    private func lost() -> ConnectionError {
        isBroken = true
        return .lost(message: lastMessage)
    }

    /// Marks the connection as unusable, and ends a statement that still runs on the server, so that it does
    /// not keep its locks.
    private func noteFailure(_ error: any Error) {
        switch error {
        case ConnectionError.rejected: return
        case ConnectionError.timedOut, is CancellationError: break
        default:
            isBroken = true
            return
        }
        isBroken = true
        guard let cancellation = PQgetCancel(handle) else { return }
        Cancellation(request: cancellation).send()
    }
}

/// A request to the server to end the statement that a connection runs.
///
/// `Sendable` is unchecked because the compiler cannot see that only the thread that sends the request uses
/// it. The request contains copies of the address and the key of the session, so the connection may be closed
/// meanwhile.
private struct Cancellation: @unchecked Sendable {
    let request: OpaquePointer

    /// The size in bytes of the buffer for an error message, which is ignored.
    private static let messageSize = 256

    /// The maximum time to wait until the request is sent, in seconds.
    private static let patience: TimeInterval = 1

    /// Sends the request on another thread and frees it. Sending opens a connection, which takes minutes if
    /// the network drops packets, so the caller waits only briefly. It does wait, because otherwise a process
    /// that exits now would leave its statement running on the server.
    func send() {
        let sent = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var message = [CChar](repeating: 0, count: Self.messageSize)
            _ = PQcancel(request, &message, Int32(message.count))
            PQfreeCancel(request)
            sent.signal()
        }
        _ = sent.wait(timeout: .now() + Self.patience)
    }
}

/// Calls run on threads for blocking work. A call that finds all connections in use waits for one.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        var features: DatabaseFeatures?
        var vectorCapabilities: VectorCapabilities?
        var isDraining = false
    }

    let settings: ConnectionSettings
    private let state = Mutex(State())
    private let slots: DispatchSemaphore

    init(_ settings: ConnectionSettings, limit: Int) {
        self.settings = settings
        slots = DispatchSemaphore(value: limit)
    }

    func withConnection<Value>(
        _ limits: CallLimits, _ body: (Connection) throws -> Value
    ) throws -> Value {
        while slots.wait(timeout: .now() + .milliseconds(20)) == .timedOut { try limits.check() }
        defer { slots.signal() }
        let connection = try idleConnection() ?? open(limits)
        defer { keep(connection) }
        return try body(connection)
    }

    var errors: ErrorMapping { ErrorMapping(name: settings.displayName) }

    /// Calls a function with a connection on a thread for blocking work. Calls it again after temporary failures.
    func call<Value: Sendable>(
        retryTimeout: TimeInterval, timeout: Duration = CallLimits.callTimeout,
        _ body: @escaping @Sendable (Connection, CallLimits) throws -> Value
    ) async throws -> Value {
        try await errors.runBlocking { isCancelled in
            try TemporaryFailures(for: .seconds(retryTimeout.asTimeout)).repeating(isCancelled: isCancelled) {
                let limits = CallLimits(timeout, isCancelled: isCancelled)
                return try self.withConnection(limits) { try body($0, limits) }
            }
        }
    }

    private func idleConnection() -> Connection? {
        while let candidate = state.withLock({ $0.idle.popLast() }) {
            if candidate.isIdle { return candidate }
        }
        return nil
    }

    private func open(_ limits: CallLimits) throws -> Connection {
        let connection = try Connection(settings)
        // The sizes of tables change by orders of magnitude while a connection exists, so plans are made for
        // each call. Servers without this setting reject the statement.
        try? connection.execute("SET plan_cache_mode = force_custom_plan", limits)
        return connection
    }

    private func keep(_ connection: Connection) {
        guard connection.isIdle else { return }
        state.withLock { state in
            if !state.isDraining { state.idle.append(connection) }
        }
    }

    /// Closes idle connections, and from now on closes every connection after use.
    func drain() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            state.isDraining = true
            return state.idle
        }
        // The connections are closed here, outside of the lock.
        _ = consume idle
    }

    /// The features of the database for searching vectors; `nil` until a call has looked for them.
    var vectorCapabilities: VectorCapabilities? {
        get { state.withLock { $0.vectorCapabilities } }
        set { state.withLock { $0.vectorCapabilities = newValue } }
    }

    func features(_ connection: Connection, _ limits: CallLimits) throws -> DatabaseFeatures {
        if let known = state.withLock({ $0.features }) { return known }
        let row = try connection.run(Schema.features, limits).rows[0]
        guard !row.isNull(0), let type = UInt32(exactly: try row.int64(0)) else {
            throw StorageError(
                .unsupported,
                "\(settings.displayName) has no type for vectors; install the extension pgvector there"
            )
        }
        let features = DatabaseFeatures(vectorType: type, isDistributed: try row.bool(1))
        state.withLock { $0.features = features }
        return features
    }
}

/// The features of a database on which the statements of a commit depend.
struct DatabaseFeatures: Sendable {
    /// The object identifier of the type `vector`.
    let vectorType: UInt32
    /// Whether the database belongs to a Citus cluster.
    let isDistributed: Bool
}
