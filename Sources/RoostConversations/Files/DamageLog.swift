import Logging

/// The default ``DamageHandler``, which logs a warning.
enum DamageLog {
    private static let logger = Logger(label: "roost.conversations")

    static func warn<Subject>(_ damage: ConversationDamage<Subject>) {
        logger.warning(
            "skipped damaged conversation data", metadata: ["location": "\(damage.location)"])
    }
}
