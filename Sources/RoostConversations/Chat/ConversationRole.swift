/// The role of a message's author. Unknown roles are stored unchanged.
public struct ConversationRole: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the role.
    public let rawValue: String
    /// Creates a role from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The person who uses the program.
    public static let user = ConversationRole(rawValue: "user")
    /// The agent.
    public static let assistant = ConversationRole(rawValue: "assistant")
    /// Instructions from the program to the agent.
    public static let system = ConversationRole(rawValue: "system")
    /// The result of a tool that the agent used.
    public static let tool = ConversationRole(rawValue: "tool")

    public var description: String { rawValue }
}
