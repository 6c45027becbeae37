/// A fact that the inspection of a store found, or an action that a repair took.
public struct StorageFinding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Codable, CaseIterable {
        /// The finding is for information only. The store is complete and consistent.
        case note
        /// Data is corrupt, inconsistent or lost.
        case damage
    }

    /// The severity of the finding.
    public var severity: Severity
    /// The file, table or entry that the finding is about.
    public var subject: String
    /// A predicate about the subject, such as "is missing" or "has an invalid checksum at byte 120".
    public var message: String
    /// The action that a repair takes, phrased as a predicate such as "moves the file to damaged-20260401";
    /// `nil` if there is nothing to repair.
    public var remedy: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - severity: The severity of the finding.
    ///   - subject: The file, table or entry that the finding is about.
    ///   - message: A predicate about the subject.
    ///   - remedy: The action that a repair takes, as a predicate.
    public init(_ severity: Severity, _ subject: String, _ message: String, remedy: String? = nil) {
        self.severity = severity
        self.subject = subject
        self.message = message
        self.remedy = remedy
    }

    /// Returns a finding of severity `.note`.
    public static func note(_ subject: String, _ message: String, remedy: String? = nil) -> StorageFinding {
        StorageFinding(.note, subject, message, remedy: remedy)
    }

    /// Returns a finding of severity `.damage`.
    public static func damage(_ subject: String, _ message: String, remedy: String? = nil) -> StorageFinding {
        StorageFinding(.damage, subject, message, remedy: remedy)
    }

    public var description: String {
        "\(subject): \(message)" + (remedy.map { "; a repair \($0)" } ?? "")
    }
}
