/// Something that the inspection of a store found, or that a repair did.
public struct StorageFinding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The weight of a finding.
    public enum Severity: String, Sendable, Codable, CaseIterable {
        /// Information; the store is complete and consistent.
        case note
        /// Data is corrupt, inconsistent or lost.
        case damage
    }

    /// The weight of the finding.
    public var severity: Severity
    /// The file, table or entry that the finding is about.
    public var subject: String
    /// A predicate about the subject: "is missing", "has an invalid checksum at byte 120".
    public var message: String
    /// The action of a repair about the finding, as a predicate: "moves the file to damaged-20260401";
    /// `nil` if there is nothing to do.
    public var remedy: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - severity: The weight of the finding.
    ///   - subject: The file, table or entry that the finding is about.
    ///   - message: A predicate about the subject.
    ///   - remedy: The action of a repair, as a predicate.
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
