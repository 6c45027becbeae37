public import Foundation
package import RoostFiles

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
        /// new batch; the same batch would be rejected again, so the error is not retryable.
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
    /// The error of a lower layer that caused this one; `nil` if none did.
    public let underlying: (any Error)?
    /// Whether repeating the same call later can succeed.
    public let isRetryable: Bool
    /// The action that can solve the problem; `nil` if none is known.
    public let remedy: Remedy?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, underlying: (any Error)? = nil, isRetryable: Bool = false,
        remedy: Remedy? = nil
    ) {
        (self.code, self.message, self.underlying) = (code, message, underlying)
        (self.isRetryable, self.remedy) = (isRetryable, remedy)
    }

    public var description: String { message }

    public var errorDescription: String? { message }

    /// Returns an error for a batch that every store must reject (``Code/invalidBatch``).
    public static func invalid(_ message: String) -> StorageError { StorageError(.invalidBatch, message) }
}

extension StorageError {
    /// Creates the error for a file operation that failed.
    ///
    /// The code is ``Code/full`` for a full disk, an exhausted quota or the limit of `ulimit -f`,
    /// ``Code/readOnly`` for a file system that is mounted read-only, and ``Code/inputOutput`` for every
    /// other `errno`. A missing permission is `.inputOutput` and not `.readOnly`, because reading may not be
    /// permitted either; its remedy is ``Remedy/checkPermissions``. That of a full disk is
    /// ``Remedy/freeSpace``.
    package init(_ error: FileError) {
        let code: Code =
            switch error.errno {
            case ENOSPC, EDQUOT, EFBIG: .full
            case EROFS: .readOnly
            default: .inputOutput
            }
        // The limit of `ulimit -f` is not a matter of free space.
        let isFull = error.errno == ENOSPC || error.errno == EDQUOT
        self.init(
            code, error.description, underlying: error,
            remedy: error.deniesPermission ? .checkPermissions : isFull ? .freeSpace : nil)
    }

    package init(_ error: LockTimeout) {
        self.init(
            .locked, "\(error); try again when that process has finished", underlying: error,
            isRetryable: true)
    }

    package static func mapping(_ error: any Error) -> any Error {
        switch error {
        case let error as FileError: StorageError(error)
        case let error as LockTimeout: StorageError(error)
        default: error
        }
    }

    /// Returns the error for a file or database whose format this version does not know.
    package static func newerFormat(_ format: Int, of path: String, supported: Int) -> StorageError {
        StorageError(
            .newerFormat,
            "cannot open \(path): format \(format) is newer than this version supports (\(supported))",
            remedy: .upgradeRoost)
    }

    package static func mappingFileErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw mapping(error) }
    }
}

extension StorageError {
    /// Returns the error for a vector whose dimension differs from that of the store's other vectors.
    package static func dimension(_ entry: UUID, _ found: Int, _ expected: Int) -> StorageError {
        StorageError(
            .dimensionMismatch,
            "cannot commit the batch: the vector of entry \(entry) has dimension \(found), and the "
                + "vectors of the store have dimension \(expected)")
    }

    /// The error for a new entry if all row numbers, which have 32 bits and are never used twice, were used.
    package static var noMoreRows: StorageError {
        StorageError(
            .full,
            "cannot commit the batch: the store has no more row numbers; export its entries and import them "
                + "into a new store")
    }
}
