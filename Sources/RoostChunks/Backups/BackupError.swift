public import Foundation
public import RoostModel

/// The reason why a backup could not be created, read, restored or pruned.
public struct BackupError: LocalizedError, Sendable, CustomStringConvertible {
    /// The kind of error. Treat an unknown code as permanent damage.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code, which never changes.
        public let rawValue: String
        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The repository or the snapshot does not exist, or a given name matches several snapshots.
        public static let notFound = Code(rawValue: "notFound")
        /// The target already contains a repository, entries or other files.
        public static let exists = Code(rawValue: "exists")
        /// An object of the repository is corrupt or missing.
        public static let damaged = Code(rawValue: "damaged")
        /// A newer version of Roost wrote the repository or the snapshot.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The passphrase is missing or wrong, or was given for a repository that is not encrypted.
        public static let wrongPassphrase = Code(rawValue: "wrongPassphrase")
        /// Another process holds a conflicting lock on the repository.
        public static let locked = Code(rawValue: "locked")
        /// An argument is invalid.
        public static let badInput = Code(rawValue: "badInput")
    }

    /// The kind of error.
    public let code: Code
    /// One sentence that names the operation, its object and the cause.
    public let message: String
    /// Whether the same call can succeed later without any other change.
    public let isRetryable: Bool
    /// An action that may correct the cause; a program describes it to the user in its own words.
    public let remedy: Remedy?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: One sentence that names the operation, its object and the cause.
    ///   - isRetryable: Whether the same call can succeed later without any other change.
    ///   - remedy: An action that may correct the cause.
    public init(_ code: Code, _ message: String, isRetryable: Bool = false, remedy: Remedy? = nil) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
        self.remedy = remedy
    }

    public var description: String { message }

    public var errorDescription: String? { message }
}

extension ChunkStorageError {
    /// Whether the error means that the stored bytes are corrupt, as opposed to the storage being
    /// unreachable.
    var isDamage: Bool {
        switch self {
        case .corrupt, .tooLarge: true
        default: false
        }
    }

    /// Whether the error may come from a failed write to a storage that can still be read.
    var isRefusedWrite: Bool {
        switch self {
        case .storageUnavailable, .storageFull, .readOnly: true
        default: false
        }
    }
}
