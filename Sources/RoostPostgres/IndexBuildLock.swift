import Foundation
import RoostModel

/// The right to build the indexes of a store, which one client at a time has.
///
/// It belongs to a transaction on a separate connection, so it ends when the last reference to the lock does,
/// or with the client.
final class IndexBuildLock: Sendable {
    private let connection: Connection

    /// - Throws: `ConnectionError`; `StorageError` with `.locked` if another client has the lock.
    init(_ store: UUID, _ settings: ConnectionSettings, _ limits: CallLimits) throws {
        connection = try Connection(settings)
        let (statements, position) = VectorIndexSQL.lock(store)
        guard try connection.run(statements, limits)[position].rows[0].bool(0) else { throw Self.isTaken }
    }

    /// Ends the transaction, so that another client can build as soon as the method returns. If only the
    /// connection is closed, the server ends the transaction some time later.
    func release() {
        // If the statement fails, the server ends the transaction with the connection.
        _ = try? connection.run([TableSQL.rollback], CallLimits(Self.releaseTimeout))
    }

    private static let releaseTimeout = Duration.seconds(10)

    static var isTaken: StorageError {
        StorageError(
            .locked, "another client is building the index in the database; try again later",
            isRetryable: true, remedy: .retryLater)
    }
}
