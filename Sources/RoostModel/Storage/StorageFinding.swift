/// Something that an inspection of a store found, or that a repair did.
public struct StorageFinding: Sendable, Hashable, Codable, CustomStringConvertible {
    public enum Severity: String, Sendable, Codable, CaseIterable {
        /// Worth knowing; the store is whole.
        case note
        /// Something is wrong or lost.
        case damage
    }

    public var severity: Severity
    /// The file, table or entry that it is about.
    public var subject: String
    /// What is so.
    public var message: String
    /// What a repair does about it; `nil` where there is nothing to do.
    public var remedy: String?

    public init(_ severity: Severity, _ subject: String, _ message: String, remedy: String? = nil) {
        self.severity = severity
        self.subject = subject
        self.message = message
        self.remedy = remedy
    }

    public static func note(_ subject: String, _ message: String, remedy: String? = nil) -> StorageFinding {
        StorageFinding(.note, subject, message, remedy: remedy)
    }

    public static func damage(_ subject: String, _ message: String, remedy: String? = nil) -> StorageFinding {
        StorageFinding(.damage, subject, message, remedy: remedy)
    }

    public var description: String {
        "\(subject): \(message)" + (remedy.map { "; a repair \($0)" } ?? "")
    }
}
