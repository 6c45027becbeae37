public import Foundation

/// An error of a storage provider or a snapshot.
///
/// Programs can react to ``code``, ``isRetryable`` and ``remedy``; ``message`` is for people. No part of an
/// error contains text that a user stored.
public struct StorageError: LocalizedError, Sendable, CustomStringConvertible {
    /// A code for the kind of a storage error. The set of codes is open: a provider may define additional
    /// ones.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the code, which is the same as the name of its constant.
        public let rawValue: String

        /// Creates a code with the given name. The name need not be one that this version defines.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The state of the store is not the one that the batch expects. Read the store again and commit a
        /// new batch.
        public static let conflict = Code(rawValue: "conflict")
        /// The batch contains data that every store must reject; see ``WriteBatch/validate()``.
        public static let invalidBatch = Code(rawValue: "invalidBatch")
        /// The dimension of a vector differs from that of the vectors in the store.
        public static let dimensionMismatch = Code(rawValue: "dimensionMismatch")
        /// Stored data is missing, truncated or corrupt.
        public static let damaged = Code(rawValue: "damaged")
        /// A newer version of Roost wrote the store, in a format that this version cannot read.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// Another process holds the lock of the store.
        public static let locked = Code(rawValue: "locked")
        /// The operating system reported an error, such as a missing permission or an I/O failure.
        public static let inputOutput = Code(rawValue: "inputOutput")
        /// The volume is full, or the store has reached its configured maximum size.
        public static let full = Code(rawValue: "full")
        /// The provider does not implement the operation.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The store was opened read-only, or it is on a read-only file system.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The provider was closed before the call.
        public static let closed = Code(rawValue: "closed")
        /// The store does not contain the requested object.
        public static let notFound = Code(rawValue: "notFound")
        /// The server of the store cannot be reached, or the connection to it was lost.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The address of the server is invalid, or the server refuses the client or its credentials.
        public static let configuration = Code(rawValue: "configuration")
    }

    /// The kind of the error.
    public let code: Code
    /// A human-readable sentence that states the operation, its object and the cause of the error.
    public let message: String
    /// The error of a lower layer that caused this one, if there is one.
    public let underlying: (any Error)?
    /// Whether repeating the same call later can succeed.
    public let isRetryable: Bool
    /// The action that can solve the problem, if there is one.
    public let remedy: Remedy?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: A human-readable sentence without text that a user stored.
    ///   - underlying: The error of a lower layer that caused this one.
    ///   - isRetryable: Whether repeating the same call later can succeed.
    ///   - remedy: The action that can solve the problem.
    public init(
        _ code: Code, _ message: String, underlying: (any Error)? = nil, isRetryable: Bool = false,
        remedy: Remedy? = nil
    ) {
        self.code = code
        self.message = message
        self.underlying = underlying
        self.isRetryable = isRetryable
        self.remedy = remedy
    }

    public var description: String { message }

    public var errorDescription: String? { message }

    /// Returns an error for a batch that every store must reject (``Code/invalidBatch``).
    public static func invalid(_ message: String) -> StorageError { StorageError(.invalidBatch, message) }

    /// Returns an error for a batch whose expectations are no longer met (``Code/conflict``).
    ///
    /// The error is not retryable: if the same batch is committed again, its expectations are still not met.
    public static func conflict(_ message: String) -> StorageError { StorageError(.conflict, message) }
}
