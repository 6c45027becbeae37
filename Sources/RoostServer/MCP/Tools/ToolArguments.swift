import RoostModel

/// The arguments of a call, which match the input schema of the tool.
struct ToolArguments: Sendable {
    private let tool: String
    private let members: [String: JSONValue]

    /// Checks arguments against the input schema of a tool.
    init(_ value: JSONValue, of definition: ToolDefinition) throws(ToolFailure) {
        guard let members = value.members else { throw ToolFailure("the arguments must be an object") }
        try ToolProperty.Kind.check(members, against: definition.input, prefix: "")
        tool = definition.name
        self.members = members.filter { $0.value != .null }
    }

    var json: JSONValue { .object(members) }

    /// The value of an argument; `nil` if it is absent.
    subscript(name: String) -> JSONValue? { members[name] }

    func string(_ name: String) -> String? { members[name]?.asString }

    /// Returns an argument that the schema requires.
    func requiredString(_ name: String) throws(ToolFailure) -> String {
        guard let text = string(name) else { throw ToolFailure("the argument '\(name)' is missing") }
        return text
    }

    func integer(_ name: String, default fallback: Int) -> Int { members[name]?.integer ?? fallback }

    func flag(_ name: String) -> Bool { members[name]?.flag ?? false }

    func strings(_ name: String) -> [String] { json.strings(name) }

    /// A number that identifies the tool and the arguments except the cursor, so that a cursor can be
    /// rejected if they differ from those of the first page.
    var digest: UInt64 { PageCursor.digest(of: tool, members) }
}
