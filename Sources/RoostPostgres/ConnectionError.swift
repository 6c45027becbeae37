/// The reason why a call on a connection failed.
enum ConnectionError: Error {
    /// No connection was established.
    case refused(message: String)
    /// The connection broke. If this happened during a commit, its outcome is unknown.
    case lost(message: String)
    /// The server rejected a statement.
    ///
    /// - Parameters:
    ///   - state: The SQLSTATE code of five characters.
    ///   - message: The primary message, without details, which could contain stored values.
    case rejected(state: String, message: String)
    /// The call waited for longer than its limit.
    case timedOut

    /// Whether repeating the transaction from its beginning can succeed.
    var isTemporary: Bool {
        switch self {
        case .lost, .timedOut: true
        case .refused(let message): Self.isTemporaryRefusal(message)
        case .rejected(let state, _): Self.isTemporary(state)
        }
    }

    /// Whether the transaction was certainly not committed: a rejected statement aborts its transaction. The
    /// exceptions are the end of the session, which can follow a commit, and `statement_completion_unknown`.
    var excludesCommit: Bool {
        guard case .rejected(let state, _) = self else { return false }
        return !state.hasPrefix("57P") && !state.hasPrefix("08") && state != "40003"
    }

    /// The states of transactions that the server ended because of other transactions or an
    /// administrator, so they succeed if they are repeated.
    private static let temporaryStates: Set = [
        "40001",  // serialization_failure
        "40003",  // statement_completion_unknown
        "40P01",  // deadlock_detected
        "57P01",  // admin_shutdown
        "57P02",  // crash_shutdown
        "57P03",  // cannot_connect_now
        "57P05",  // idle_session_timeout
        "53300",  // too_many_connections
        "25P03",  // idle_in_transaction_session_timeout
    ]

    private static func isTemporary(_ state: String) -> Bool {
        // Class 08 contains the errors of connections.
        temporaryStates.contains(state) || state.hasPrefix("08")
    }

    /// libpq does not provide the state of a refused connection, so it is recognized by its message. A server
    /// removes its socket when it ends.
    private static func isTemporaryRefusal(_ message: String) -> Bool {
        [
            "Connection refused", "timeout expired", "closed the connection", "Connection reset",
            "terminating connection", "Temporary failure", "starting up", "shutting down",
            "in recovery mode", "not yet accepting connections", "too many clients",
            "too many connections", "connection slots", "No such file or directory",
        ].contains { message.contains($0) }
    }
}
