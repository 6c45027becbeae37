/// The type of a message in a session. Unknown types are stored unchanged.
public struct MessageType: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the type.
    public let rawValue: String
    /// Creates a type from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Text from the user or the agent.
    public static let text = MessageType(rawValue: "text")
    /// A tool call by the agent.
    public static let toolUse = MessageType(rawValue: "toolUse")
    /// The result of a tool.
    public static let toolResult = MessageType(rawValue: "toolResult")
    /// An error that a tool reported.
    public static let toolError = MessageType(rawValue: "toolError")
    /// The agent's reasoning before its answer.
    public static let thinking = MessageType(rawValue: "thinking")
    /// An error in the program or the agent.
    public static let error = MessageType(rawValue: "error")

    public var description: String { rawValue }
}
