/// The role of a message's author in a session. Unknown roles are stored unchanged.
public struct MessageRole: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the role.
    public let rawValue: String
    /// Creates a role from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The person who uses the program.
    public static let user = MessageRole(rawValue: "user")
    /// The agent.
    public static let assistant = MessageRole(rawValue: "assistant")
    /// Instructions from the program to the agent.
    public static let system = MessageRole(rawValue: "system")
    /// A tool that the agent used.
    public static let tool = MessageRole(rawValue: "tool")

    public var description: String { rawValue }
}
