/// A conversation that was read from a file.
public struct Transcript: Sendable, Hashable {
    /// The id of the session; `nil` if the file does not specify one.
    public var sessionId: String?
    /// The id of the agent; `nil` if the file does not specify one.
    public var agentId: String?
    /// The id of the user; `nil` if the file does not specify one.
    public var userId: String?
    /// The messages, in conversation order.
    public var messages: [MessageDraft]
}
