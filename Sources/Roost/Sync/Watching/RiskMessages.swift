import Synchronization

/// The descriptions of the risks that a sync has found.
final class RiskMessages: Sendable {
    private let messages = Mutex<[String]>([])

    /// Adds the description of a risk.
    func add(_ risk: RemovalRisk) { messages.withLock { $0.append(risk.description) } }

    /// All descriptions.
    var all: [String] { messages.withLock { $0 } }
}
