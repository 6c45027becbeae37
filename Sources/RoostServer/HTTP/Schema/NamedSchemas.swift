import RoostModel

/// Collects the schemas that have names, so that generated clients have a type with this name for each.
struct NamedSchemas {
    /// The schemas by name. Their named parts are references.
    private(set) var schemas: [String: JSONValue] = [:]

    /// Returns a value in which references replace all named schemas, and collects these.
    mutating func replacing(in value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { replacing(in: $0) })
        case .object(var members):
            // A property can also be called `title`; its value is an object.
            let name = members["title"]?.asString
            if name != nil { members["title"] = nil }
            let schema = JSONValue.object(members.mapValues { replacing(in: $0) })
            guard let name else { return schema }
            add(schema, as: name)
            return Schema.reference(name)
        default: return value
        }
    }

    /// Adds a schema.
    ///
    /// - Precondition: No other schema has the name.
    mutating func add(_ schema: JSONValue, as name: String) {
        precondition(schemas[name] == nil || schemas[name] == schema, "two schemas have the name \(name)")
        schemas[name] = schema
    }
}
