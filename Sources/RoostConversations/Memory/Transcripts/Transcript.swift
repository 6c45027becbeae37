/// A conversation that was read from a file. It begins with the first message of the conversation.
public struct Transcript: Sendable, Hashable {
    /// The id of the session; `nil` if the file does not specify one.
    public var sessionId: String?
    /// The id of the agent; `nil` if the file does not specify one.
    public var agentId: String?
    /// The id of the user; `nil` if the file does not specify one.
    public var userId: String?
    /// The messages, in conversation order.
    public var messages: [MessageDraft]

    /// Creates a conversation.
    public init(
        sessionId: String? = nil, agentId: String? = nil, userId: String? = nil, messages: [MessageDraft]
    ) {
        (self.sessionId, self.agentId, self.userId) = (sessionId, agentId, userId)
        self.messages = messages
    }
}
