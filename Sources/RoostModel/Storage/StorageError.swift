/// An error of a storage provider or a snapshot.
///
/// Programs decide by ``code``, ``isRetryable`` and ``remedy``; people read ``message``. No part of an error
/// contains text that a user stored.
public struct StorageError: Error, Sendable, CustomStringConvertible {
    /// The kind of a storage error. The set of codes is open: a provider may define its own.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the kind; the same as that of its constant.
        public let rawValue: String

        /// Creates a code with a name, also one that this version does not define.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The store has changed since the state that the batch expects. Read again and commit a new batch.
        public static let conflict = Code(rawValue: "conflict")
        /// The batch contains something that no store may keep; see ``WriteBatch/validate()``.
        public static let invalidBatch = Code(rawValue: "invalidBatch")
        /// The dimension of a vector differs from that of the vectors in the store.
        public static let dimensionMismatch = Code(rawValue: "dimensionMismatch")
        /// Stored data is missing, truncated or corrupt.
        public static let damaged = Code(rawValue: "damaged")
        /// A newer version of Roost wrote the store, in a format that this version cannot read.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// Another process holds the lock of the store.
        public static let locked = Code(rawValue: "locked")
        /// The operating system reported an error: a missing permission or failed I/O.
        public static let inputOutput = Code(rawValue: "inputOutput")
        /// The volume is full, or the store has reached its configured maximum size.
        public static let full = Code(rawValue: "full")
        /// The provider does not implement the operation.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The store was opened for reading only, or it is on a read-only file system.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The provider was closed before the call.
        public static let closed = Code(rawValue: "closed")
        /// The store does not contain the object that the call names.
        public static let notFound = Code(rawValue: "notFound")
    }

    /// The kind of the error.
    public let code: Code
    /// One sentence for people: the operation, its object and the cause.
    public let message: String
    /// The error of a lower layer that caused this one, if there is one.
    public let underlying: (any Error)?
    /// Whether the same call, unchanged, can succeed later.
    public let isRetryable: Bool
    /// The action that can solve the problem, if there is one.
    public let remedy: Remedy?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: One sentence for people, without text that a user stored.
    ///   - underlying: The error of a lower layer that caused this one.
    ///   - isRetryable: Whether the same call, unchanged, can succeed later.
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

    /// Returns an error for a batch that no store may keep (``Code/invalidBatch``).
    public static func invalid(_ message: String) -> StorageError { StorageError(.invalidBatch, message) }

    /// Returns an error for a batch whose expectations are no longer true (``Code/conflict``).
    ///
    /// The error is not retryable: the same batch fails again, because its expectations stay false.
    public static func conflict(_ message: String) -> StorageError { StorageError(.conflict, message) }
}
