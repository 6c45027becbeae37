/// Why a store could not do what was asked. It holds no text of the user's.
public struct StorageError: Error, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// What the batch expected is no longer so: read again, and try again.
        public static let conflict = Code(rawValue: "conflict")
        /// The batch has something that no store may keep.
        public static let invalidBatch = Code(rawValue: "invalidBatch")
        /// A vector's dimension is not that of the store's other vectors.
        public static let dimensionMismatch = Code(rawValue: "dimensionMismatch")
        /// What is on disk is damaged.
        public static let damaged = Code(rawValue: "damaged")
        /// The store was written by a newer version of Roost.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// Another process holds the lock.
        public static let locked = Code(rawValue: "locked")
        /// The operating system refused: no space, no permission, an I/O error.
        public static let inputOutput = Code(rawValue: "inputOutput")
        /// The store has reached the size that it was given.
        public static let full = Code(rawValue: "full")
        /// The backend has no way to do this.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The store may be read only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The provider was closed.
        public static let closed = Code(rawValue: "closed")
        /// What was named is not in the store.
        public static let notFound = Code(rawValue: "notFound")
    }

    public let code: Code
    /// One sentence: what happened, to what.
    public let message: String
    /// What lay beneath, where something did.
    public let underlying: (any Error)?
    /// Whether the same call can succeed later without a change of it.
    public let isRetryable: Bool

    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil, isRetryable: Bool = false) {
        self.code = code
        self.message = message
        self.underlying = underlying
        self.isRetryable = isRetryable
    }

    public var description: String { message }

    /// A batch that no store may keep.
    public static func invalid(_ message: String) -> StorageError { StorageError(.invalidBatch, message) }

    /// A batch that expected what is no longer so. The same batch will not succeed later either.
    public static func conflict(_ message: String) -> StorageError {
        StorageError(.conflict, message)
    }
}
