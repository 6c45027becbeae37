/// Why a backup could not be made, read or tidied up.
public struct BackupError: Error, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no repository, or no such snapshot.
        public static let notFound = Code(rawValue: "notFound")
        /// There is a repository already, or files of others.
        public static let exists = Code(rawValue: "exists")
        /// Something is not as it was written.
        public static let damaged = Code(rawValue: "damaged")
        /// A newer version wrote it.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The passphrase is missing, or another.
        public static let wrongPassphrase = Code(rawValue: "wrongPassphrase")
        /// Somebody else is at work in the repository.
        public static let locked = Code(rawValue: "locked")
        /// What was asked for makes no sense.
        public static let badInput = Code(rawValue: "badInput")
    }

    public let code: Code
    /// One sentence: what happened, to what.
    public let message: String
    /// Whether the same call can succeed later without a change.
    public let isRetryable: Bool

    public init(_ code: Code, _ message: String, isRetryable: Bool = false) {
        (self.code, self.message, self.isRetryable) = (code, message, isRetryable)
    }

    public var description: String { message }
}
