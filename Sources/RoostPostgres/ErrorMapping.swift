import RoostFiles
import RoostModel

/// Converts errors of connections into `StorageError`.
struct ErrorMapping: Sendable {
    /// The server and database for messages.
    let name: String

    /// Returns the `StorageError` for an error of a connection; other errors are returned unchanged.
    func mapped(_ error: any Error) -> any Error {
        guard let error = error as? ConnectionError else { return error }
        return storageError(error)
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
            "the outcome of the commit to \(name) is unknown, because the connection was lost: "
                + "\(storageError(error).message); committing the same batch again is safe",
            isRetryable: true, remedy: .retryLater)
    }

    /// The next steps after a refused connection, by texts in the message.
    private static let steps: [(texts: [String], step: String)] = [
        (["pg_hba.conf"], "let pg_hba.conf on the server accept the user, the database and the encryption"),
        (
            ["password", "authentication"],
            "check the user and the password (PGPASSWORD, ~/.pgpass or a service file)"
        ),
        (["certificate", "SSL"], "check the settings of TLS (sslmode, sslrootcert)"),
        (
            ["too many", "connection slots"],
            "close other clients or raise the server's limit of connections, and try again"
        ),
        (["does not exist"], "check the names of the database and the user"),
        (["on socket"], "check the address (PGHOST) and that the server is running, and try again"),
    ]

    private func refusal(_ message: String, isTemporary: Bool) -> StorageError {
        let step =
            Self.steps.first { $0.texts.contains { message.contains($0) } }?.step
            ?? "check that the server is running and the address is right, and try again"
        return StorageError(
            isTemporary ? .unavailable : .configuration, "cannot connect to \(name): \(message); \(step)",
            isRetryable: isTemporary, remedy: isTemporary ? .retryLater : nil)
    }

    private func rejection(_ state: String, _ message: String, isTemporary: Bool) -> StorageError {
        let reason = "\(name): \(message)"
        switch state {
        case "25006":
            return StorageError(
                .readOnly, "\(reason); the server is a read-only replica, so connect to the primary server")
        case "42501":
            // The statements of the server's owner, such as building an index, need more than privileges.
            let step =
                message.hasPrefix("must be owner")
                ? "run the command as the user who created the tables"
                : "grant the privileges of a Roost reader, writer or owner to the user"
            return StorageError(.readOnly, "\(reason); \(step)")
        case "42P01", "3F000":
            return StorageError(
                .notFound, "\(reason); create the tables as the owner of the database first")
        case "53100", "53200", "53000":
            return StorageError(
                .full, "\(reason); free space on the server", remedy: .freeSpace)
        case "57014":
            return StorageError(
                .locked, "\(reason); try again, or raise the statement timeout of the server",
                isRetryable: true, remedy: .retryLater)
        case "55P03":
            return StorageError(
                .locked,
                "\(reason); another client is writing to the store, so try again, or raise the lock timeout "
                    + "of the server", isRetryable: true, remedy: .retryLater)
        case "0A000", "42704", "42883", "42601":
            return StorageError(
                .unsupported, "\(reason); the server lacks a feature that Roost needs (SQLSTATE \(state))")
        case "54000", "22000":
            return StorageError(
                .unsupported, "\(reason); the database cannot store a vector of this dimension")
        case _ where state.hasPrefix("XX"):
            return StorageError(
                .damaged, "\(reason); the server reports damaged data, so restore a backup of the database",
                remedy: .restoreBackup)
        case _ where isTemporary:
            return StorageError(
                .unavailable, "\(reason); try again later", isRetryable: true, remedy: .retryLater)
        default:
            return StorageError(.inputOutput, "\(reason) (SQLSTATE \(state))")
        }
    }
}

extension ErrorMapping {
    /// Runs `body` on a thread for blocking work, and throws its errors as `StorageError`.
    func runBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in
            do { return try body(isCancelled) } catch { throw mapped(error) }
        }
    }
}
