/// A conversation in a file.
public struct Transcript: Sendable, Hashable {
    /// The session; `nil` if the file does not name it.
    public var sessionId: String?
    /// The agent; `nil` if the file does not name it.
    public var agentId: String?
    /// The user; `nil` if the file does not name it.
    public var userId: String?
    /// The messages, in their order.
    public var messages: [MessageDraft]
}
