public import Foundation

/// The reason why a document cannot be read.
///
/// Each case has a message for the user, which completes "cannot read PATH: …".
public enum DocumentError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The document is damaged, or is not of the type that its name states.
    case damaged(String)
    /// The document cannot be read without a password.
    case encrypted
    /// The document contains no text, for example because its pages are scanned images.
    case noText(String)
    /// The document exceeds one of the limits (``DocumentLimits``).
    case limitExceeded(String)
    /// A separate program that reads the document exceeds its time or memory. It can succeed later, for
    /// example on a computer with less load.
    case programLimitExceeded(String)
    /// The type or one of its variants is not supported.
    case unsupported(String)
    /// A separate program or a library that is required is not installed, or the program failed.
    case missingProgram(String)

    /// Whether the same document may be readable later: the cause is a program, not the document.
    package var isTransient: Bool {
        switch self {
        case .missingProgram, .programLimitExceeded: true
        case .damaged, .encrypted, .noText, .limitExceeded, .unsupported: false
        }
    }

    public var description: String {
        switch self {
        case .damaged(let reason), .noText(let reason), .limitExceeded(let reason),
            .programLimitExceeded(let reason), .unsupported(let reason), .missingProgram(let reason):
            reason
        case .encrypted: "it is encrypted; remove its password and ingest it again"
        }
    }

    public var errorDescription: String? { description }
}
