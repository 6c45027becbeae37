import RoostModel

/// A parameter of a route in the path, the query or the header of a request.
struct Parameter: Sendable {
    /// The part of a request that contains the parameter.
    enum Location: String, Sendable {
        case path, query, header
    }

    var name: String
    var location: Location
    var schema: JSONValue
    var isRequired: Bool

    /// Creates a parameter of the path, which is always required.
    static func path(_ name: String, _ schema: JSONValue) -> Parameter {
        Parameter(name: name, location: .path, schema: schema, isRequired: true)
    }

    static func query(_ name: String, _ schema: JSONValue, isRequired: Bool = false) -> Parameter {
        Parameter(name: name, location: .query, schema: schema, isRequired: isRequired)
    }

    /// Creates a header field.
    static func header(_ name: String, _ schema: JSONValue) -> Parameter {
        Parameter(name: name, location: .header, schema: schema, isRequired: false)
    }

    /// Whether the parameter can be given several times in a query.
    var isRepeatable: Bool { schema["type"] == "array" }

    /// Returns the value that a text of a URL or header represents.
    static func value(of text: String, _ schema: JSONValue) -> JSONValue {
        switch schema["type"]?.asString {
        case "integer": Int64(text).map { .integer($0) } ?? .string(text)
        case "number": Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? .string(text)
        case "boolean": text == "true" ? true : text == "false" ? false : .string(text)
        default: .string(text)
        }
    }

    /// The JSON form of the OpenAPI document.
    var json: JSONValue {
        var schema = schema.members ?? [:]
        var members: [String: JSONValue] = [
            "name": .string(name), "in": .string(location.rawValue), "required": .bool(isRequired),
        ]
        members["description"] = schema.removeValue(forKey: "description")
        members["schema"] = .object(schema)
        return .object(members)
    }
}
