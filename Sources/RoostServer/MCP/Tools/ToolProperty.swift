import RoostModel

/// A property in the schema of a tool's arguments.
///
/// Only plain types are used, because several hosts reject `$ref` and combinators such as `anyOf`.
struct ToolProperty: Sendable {
    /// The type of a value.
    indirect enum Kind: Sendable {
        /// A string of at most this many UTF-8 bytes.
        case string(maximumBytes: Int)
        /// A string from a fixed list.
        case choice([String])
        /// A whole number in a range.
        case integer(ClosedRange<Int>)
        case flag
        /// An array with at most `maximumCount` elements.
        case array(of: Kind, maximumCount: Int)
        /// An object with any members.
        case map
        /// An object with the listed members.
        case object([ToolProperty])
    }

    var name: String
    var kind: Kind
    var isRequired: Bool
    /// A sentence for the model.
    var description: String

    init(_ name: String, _ kind: Kind, isRequired: Bool = false, _ description: String) {
        (self.name, self.kind, self.isRequired, self.description) = (name, kind, isRequired, description)
    }

    /// Returns the JSON Schema of an object with the given properties.
    static func schema(of properties: [ToolProperty]) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for property in properties {
            var schema = property.kind.schema
            schema["description"] = .string(property.description)
            members[property.name] = .object(schema)
        }
        return [
            "type": "object", "properties": .object(members),
            "required": .array(properties.filter(\.isRequired).map { .string($0.name) }),
            "additionalProperties": false,
        ]
    }
}

extension ToolProperty.Kind {
    /// The schema without a description.
    fileprivate var schema: [String: JSONValue] {
        switch self {
        case .string: ["type": "string"]
        case .choice(let values): ["type": "string", "enum": .array(values.map { .string($0) })]
        case .integer(let range):
            ["type": "integer", "minimum": .count(range.lowerBound), "maximum": .count(range.upperBound)]
        case .flag: ["type": "boolean"]
        case .array(let element, let count):
            ["type": "array", "items": .object(element.schema), "maxItems": .count(count)]
        case .map: ["type": "object"]
        case .object(let properties): ToolProperty.schema(of: properties).members ?? [:]
        }
    }

    /// Checks a value.
    ///
    /// - Throws: ``ToolFailure`` if the value has the wrong type or is out of range.
    func check(_ value: JSONValue, _ path: String) throws(ToolFailure) {
        switch self {
        case .string(let maximumBytes):
            guard case .string(let text) = value else { throw mismatch(value, path) }
            guard text.utf8.count <= maximumBytes else {
                throw ToolFailure("'\(path)' is longer than \(maximumBytes) bytes")
            }
        case .choice(let values):
            guard case .string(let text) = value, values.contains(text) else {
                throw ToolFailure("'\(path)' must be one of \(values.joined(separator: ", "))")
            }
        case .integer(let range):
            guard let number = value.integer else { throw mismatch(value, path) }
            guard range.contains(number) else {
                throw ToolFailure("'\(path)' must be from \(range.lowerBound) to \(range.upperBound)")
            }
        case .flag:
            guard value.flag != nil else { throw mismatch(value, path) }
        case .array(let element, let count):
            guard let elements = value.elements else { throw mismatch(value, path) }
            guard elements.count <= count else {
                throw ToolFailure("'\(path)' has more than \(count) elements")
            }
            for (index, item) in elements.enumerated() { try element.check(item, "\(path)[\(index)]") }
        case .map:
            guard value.members != nil else { throw mismatch(value, path) }
        case .object(let properties):
            guard let members = value.members else { throw mismatch(value, path) }
            try Self.check(members, against: properties, prefix: path + ".")
        }
    }

    /// Returns the failure of a value with another type, which names both types: models often write an array
    /// or an object as a string.
    private func mismatch(_ value: JSONValue, _ path: String) -> ToolFailure {
        let found =
            switch value {
            case .null: "null"
            case .bool: "a Boolean"
            case .integer, .number: "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        // A number is not always a whole number.
        let addition = typeName.hasSuffix(" number") && found == "a number" ? "" : ", not \(found)"
        return ToolFailure("'\(path)' must be \(typeName)\(addition)")
    }

    /// The type as a noun phrase.
    private var typeName: String {
        switch self {
        case .string, .choice: "a string"
        case .integer: "a whole number"
        case .flag: "true or false"
        case .array(of: .string, _): "an array of strings"
        case .array: "an array"
        case .map, .object: "an object"
        }
    }

    /// Checks the members of an object: unknown and missing names, and every value. A null counts as absent.
    static func check(
        _ members: [String: JSONValue], against properties: [ToolProperty], prefix: String
    ) throws(ToolFailure) {
        let known = Set(properties.map(\.name))
        let unknown = members.keys.filter { !known.contains($0) }.sorted()
        guard unknown.isEmpty else {
            let names = unknown.prefix(10).map { "'\(prefix)\($0.prefix(MCPServer.echoLimit))'" }
            let known =
                properties.isEmpty
                ? "the tool has no arguments"
                : "known arguments: " + properties.map { prefix + $0.name }.joined(separator: ", ")
            throw ToolFailure(
                "unknown argument\(unknown.count == 1 ? "" : "s") \(names.joined(separator: ", ")); \(known)")
        }
        for property in properties {
            guard let value = members[property.name], value != .null else {
                guard property.isRequired else { continue }
                throw ToolFailure("the argument '\(prefix)\(property.name)' is missing")
            }
            try property.kind.check(value, prefix + property.name)
        }
    }
}
