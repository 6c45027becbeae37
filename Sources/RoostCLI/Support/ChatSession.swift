import RoostConversations

/// A session of a user. Names are compared by their bytes, not by Unicode equivalence.
struct ChatSession: Hashable {
    private var scope: ChatScope

    init(_ scope: ChatScope) {
        self.scope = ChatScope(userId: scope.userId, sessionId: scope.sessionId, agentId: "")
    }

    var user: String { scope.userId }
    var session: String { scope.sessionId }
}
