import RoostModel

/// The description of a tool for clients and models.
struct ToolDefinition: Sendable {
    /// The effects of a tool, which hosts use to decide whether to ask the user.
    enum Effect: Sendable {
        case reads
        /// The tool adds data, and a repeated call has no further effect.
        case adds
        /// The tool changes or removes data, and a repeated call has no further effect.
        case changes
    }

    /// The name: 1 to 40 ASCII letters, digits, `-` and `_`.
    var name: String
    /// The name for people.
    var title: String
    /// The effect of the tool and when to call it, for the model.
    var description: String
    var effect: Effect
    var input: [ToolProperty]
    /// Whether the calls of one connection over standard input and output are executed in their order. Calls
    /// over HTTP have no order.
    var keepsOrder = false

    /// Returns the definition in the form of a revision of the protocol.
    ///
    /// It has no output schema: hosts do not show it to models, and it would double the size of the list.
    func json(for version: ProtocolVersion) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "description": .string(description),
            "inputSchema": ToolProperty.schema(of: input),
        ]
        if version.hasAnnotations {
            members["annotations"] = [
                "title": .string(title), "readOnlyHint": .bool(effect == .reads),
                "destructiveHint": .bool(effect == .changes), "idempotentHint": true, "openWorldHint": false,
            ]
        }
        if version.hasStructuredContent { members["title"] = .string(title) }
        return .object(members)
    }
}
