import RoostModel

/// The arguments of a call, which match the input schema of the tool.
struct ToolArguments: Sendable {
    private let tool: String
    private let members: [String: JSONValue]

    /// Checks arguments against the input schema of a tool.
    ///
    /// - Throws: ``ToolFailure`` that names the first argument that does not match.
    init(_ value: JSONValue, of definition: ToolDefinition) throws(ToolFailure) {
        guard let members = value.members else { throw ToolFailure("the arguments must be an object") }
        try ToolProperty.Kind.check(members, against: definition.input, prefix: "")
        tool = definition.name
        self.members = members.filter { $0.value != .null }
    }

    /// The value of an argument; `nil` if it is absent.
    subscript(name: String) -> JSONValue? { members[name] }

    /// Returns a string argument; `nil` if it is absent.
    func string(_ name: String) -> String? { members[name]?.asString }

    /// Returns an argument that the schema requires.
    func requiredString(_ name: String) throws(ToolFailure) -> String {
        guard let text = string(name) else { throw ToolFailure("the argument '\(name)' is missing") }
        return text
    }

    /// Returns a whole number, or the default if the argument is absent.
    func integer(_ name: String, default fallback: Int) -> Int { members[name]?.integer ?? fallback }

    /// Returns a Boolean, or `false` if the argument is absent.
    func flag(_ name: String) -> Bool { members[name]?.flag ?? false }

    /// Returns the strings of an array argument; empty if it is absent.
    func strings(_ name: String) -> [String] { (members[name]?.elements ?? []).compactMap(\.asString) }

    /// A number that identifies the tool and the arguments except the cursor, so that a cursor can be
    /// rejected if they differ from those of the first page.
    var digest: UInt64 { PageCursor.digest(of: tool, members) }
}
