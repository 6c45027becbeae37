import Foundation
import RoostFiles
import RoostModel

enum ConnectionError: Error {
    case refused(message: String)
    /// The connection broke. If this happened during a commit, its outcome is unknown.
    case lost(message: String)
    /// - Parameters:
    ///   - state: The SQLSTATE code of five characters.
    ///   - message: The primary message, without details, which could contain stored values.
    case rejected(state: String, message: String)
    case timedOut

    /// Whether repeating the transaction from its beginning can succeed.
    var isTemporary: Bool {
        switch self {
        case .lost, .timedOut: true
        case .refused(let message): Self.isTemporaryRefusal(message)
        case .rejected(let state, let message):
            Self.temporaryStates.contains(state) || Self.isLoss(state, message)
        }
    }

    /// Whether the transaction was certainly not committed: a rejected statement aborts its transaction. The
    /// exceptions are the end of the session, which can follow a commit, `statement_completion_unknown`, and
    /// internal errors, with which Citus reports nodes that it lost during a commit.
    var excludesCommit: Bool {
        guard case .rejected(let state, _) = self else { return false }
        if Self.damageStates.contains(state) { return true }
        return !["57P", "08", "XX"].contains { state.hasPrefix($0) } && state != "40003"
    }

    /// `data_corrupted` and `index_corrupted`.
    static let damageStates: Set = ["XX001", "XX002"]

    /// Returns whether an error means that a process of the server ended, or that a node of a cluster could not
    /// reach another. Citus reports most of the latter as `internal_error`, so they are recognized by words of
    /// their messages.
    private static func isLoss(_ state: String, _ message: String) -> Bool {
        guard !isAuthenticationFailure(state, message) else { return false }
        return state.hasPrefix("08") || state == "XX000" && lossWords.contains { message.contains($0) }
    }

    private static let lossWords = [
        "connection", "postmaster", "could not commit transaction", "could not send data",
        "could not receive data",
    ]

    /// Returns whether a server or a node of a cluster rejected a user or a password. Citus reports a node's
    /// rejection as a lost connection.
    static func isAuthenticationFailure(_ state: String, _ message: String) -> Bool {
        state.hasPrefix("28")
            || ["authentication failed", "no password supplied", "pg_hba.conf"].contains {
                message.contains($0)
            }
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

    /// The words for an address at which no server answers.
    static let unreachable = [
        "Connection refused", "timeout expired", "unreachable", "No route to host",
        "Cannot assign requested address",
    ]

    /// libpq does not provide the state of a refused connection, so it is recognized by its message. A server
    /// removes its socket when it ends.
    private static func isTemporaryRefusal(_ message: String) -> Bool {
        let words =
            unreachable + [
                "closed the connection", "Connection reset", "terminating connection", "Temporary failure",
                "starting up", "shutting down", "in recovery mode", "not yet accepting connections",
                "too many clients", "too many connections", "connection slots", "No such file or directory",
            ]
        return words.contains { message.contains($0) }
    }
}

struct CallLimits {
    let deadline: ContinuousClock.Instant
    let isCancelled: @Sendable () -> Bool

    init(_ timeout: Duration, isCancelled: @escaping @Sendable () -> Bool = { false }) {
        deadline = .now + timeout
        self.isCancelled = isCancelled
    }

    /// The time after which a call that does not wait for other writers gives up. It is long, because large
    /// results and batches take time; a connection that breaks silently is noticed earlier by the system.
    static let callTimeout = Duration.seconds(3600)

    /// The same deadline without cancellation, for calls after the commit point.
    var withoutCancellation: CallLimits { CallLimits(deadline: deadline) }

    private init(deadline: ContinuousClock.Instant) {
        self.deadline = deadline
        isCancelled = { false }
    }

    func check() throws {
        if isCancelled() { throw CancellationError() }
        if ContinuousClock.now >= deadline { throw ConnectionError.timedOut }
    }
}

/// The policy for repeating calls that failed because a connection broke or because the server ended a
/// transaction.
struct TemporaryFailures {
    private let deadline: ContinuousClock.Instant

    /// The pause before the second attempt, in seconds. It doubles with every attempt.
    private static let firstPause = 0.01
    private static let maximumPause = 1.0

    init(for duration: Duration) { deadline = ContinuousClock.now + duration }

    /// Runs `body`, and runs it again after temporary failures until the time is used up.
    func repeating<Value>(isCancelled: () -> Bool, _ body: () throws -> Value) throws -> Value {
        var pause = Self.firstPause
        while true {
            do {
                return try body()
            } catch let error as ConnectionError where error.isTemporary {
                if case .timedOut = error { throw error }
                // The pause is random, so that clients do not return at the same time.
                let time = Duration.seconds(pause * Double.random(in: 0.5...1))
                guard ContinuousClock.now + time < deadline else { throw error }
                try Self.pause(time, isCancelled: isCancelled)
                pause = min(2 * pause, Self.maximumPause)
            }
        }
    }

    static func pause(_ time: Duration, isCancelled: () -> Bool) throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            if isCancelled() { throw CancellationError() }
            Thread.sleep(forTimeInterval: 0.005)
        }
    }
}

/// Converts errors of connections into `StorageError`.
struct ErrorMapping: Sendable {
    let name: String

    func runBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in
            do {
                return try body(isCancelled)
            } catch let error as ConnectionError {
                throw storageError(error)
            }
        }
    }

    func storageError(_ error: ConnectionError) -> StorageError {
        switch error {
        case .refused(let message): refusal(message, isTemporary: error.isTemporary)
        case .lost(let message):
            StorageError(
                .unavailable, "the connection to \(name) was lost: \(message); try again",
                isRetryable: true, remedy: .retryLater)
        case .timedOut:
            StorageError(
                .locked,
                "\(name) did not answer in time, or another client is writing to the store; try again later",
                isRetryable: true, remedy: .retryLater)
        case .rejected(let state, let message): rejection(state, message, isTemporary: error.isTemporary)
        }
    }

    /// Returns the error for a commit whose response was lost, and whose outcome could not be determined.
    func unknownOutcome(_ error: ConnectionError) -> StorageError {
        StorageError(
            .unavailable,
            "the outcome of the commit to \(name) is unknown: \(storageError(error).message); committing the "
                + "same batch again is safe",
            isRetryable: true, remedy: .retryLater)
    }

    private func refusal(_ message: String, isTemporary: Bool) -> StorageError {
        StorageError(
            isTemporary ? .unavailable : .configuration,
            "cannot connect to \(name): \(message); check that the server is running, the address (PGHOST), "
                + "the user and the password (PGPASSWORD, ~/.pgpass), and TLS (sslmode, sslrootcert)",
            isRetryable: isTemporary, remedy: isTemporary ? .retryLater : nil)
    }

    private func rejection(_ state: String, _ message: String, isTemporary: Bool) -> StorageError {
        func error(
            _ code: StorageError.Code, _ advice: String, isRetryable: Bool = false, _ remedy: Remedy? = nil
        ) -> StorageError {
            StorageError(code, "\(name): \(message); \(advice)", isRetryable: isRetryable, remedy: remedy)
        }
        return switch state {
        case "25006":
            error(.readOnly, "the server is a read-only replica, so connect to the primary server")
        // The statements of the server's owner, such as building an index, need more than privileges.
        case "42501" where message.hasPrefix("must be owner"):
            error(.readOnly, "run the command as the user who created the tables")
        case "42501":
            error(.readOnly, "ask the owner of the tables to run 'roost grant' for the user")
        case "42P01", "3F000": error(.notFound, "create the tables as the owner of the database first")
        case "53100", "53200", "53000": error(.full, "free space on the server", .freeSpace)
        case "57014", "55P03":
            error(
                .locked, "try again, or raise the statement timeout or the lock timeout of the server",
                isRetryable: true, .retryLater)
        case "0A000", "42704", "42883", "42601":
            error(.unsupported, "the server lacks a feature that Roost needs (SQLSTATE \(state))")
        case "54000", "22000": error(.unsupported, "the database cannot store a vector of this dimension")
        case _ where ConnectionError.damageStates.contains(state):
            error(.damaged, "the server reports damaged data, so restore a backup", .restoreBackup)
        case _ where ConnectionError.isAuthenticationFailure(state, message):
            error(
                .configuration,
                "check the user and the password; Citus takes those of its nodes from pg_dist_authinfo")
        case _ where isTemporary: error(.unavailable, "try again later", isRetryable: true, .retryLater)
        default: StorageError(.inputOutput, "\(name): \(message) (SQLSTATE \(state))")
        }
    }
}
