import Dispatch
import RoostModel
import Synchronization

/// Calls run on threads for blocking work. A call that finds all connections in use waits for one.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        var vectorType: UInt32?
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

    func vectorType(_ connection: Connection, _ limits: CallLimits) throws -> UInt32 {
        if let known = state.withLock({ $0.vectorType }) { return known }
        let row = try connection.run(Schema.vectorType, limits).rows[0]
        guard !row.isNull(0), let type = UInt32(exactly: try row.int64(0)) else {
            throw StorageError(
                .unsupported,
                "\(settings.displayName) has no type for vectors; install the extension pgvector there"
            )
        }
        state.withLock { $0.vectorType = type }
        return type
    }
}
