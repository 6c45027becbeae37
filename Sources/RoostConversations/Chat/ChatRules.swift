/// The rules that all chat storages of this package share.
package enum ChatRules {
    /// Returns the window of a history; see ``ChatStorage/trimToEvenPairs(_:maxMessages:)``.
    static func trimmed(_ messages: [ConversationMessage], _ maxMessages: Int?) -> [ConversationMessage] {
        guard let maxMessages else { return messages }
        let size = max(0, maxMessages - maxMessages % 2)
        guard messages.count > size else { return messages }
        let window = messages.suffix(size)
        // In a long exchange with tools, the window may contain no user message. Keep it unchanged in that
        // case.
        guard let first = window.firstIndex(where: { $0.role == .user }) else { return Array(window) }
        return Array(window[first...])
    }

    /// Returns a history with messages added. A message is skipped if it has the same role as the one before
    /// it.
    package static func adding(
        _ messages: [ConversationMessage], to history: [ConversationMessage]
    ) -> [ConversationMessage] {
        var history = history
        for message in messages where history.last?.role != message.role { history.append(message) }
        return history
    }

    /// Merges the histories of several agents by timestamp. Messages with equal timestamps are ordered by the
    /// bytes of the agents' ids; the order within each history does not change.
    package static func merged(_ scopes: [(agent: String, messages: [ConversationMessage])])
        -> [ConversationMessage]
    {
        let all = scopes.sorted { $0.agent.utf8.lexicographicallyPrecedes($1.agent.utf8) }
            .flatMap { scope in scope.messages.map { $0.attributed(agentId: scope.agent) } }
        return all.enumerated().sorted {
            ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
        }.map(\.element)
    }
}
