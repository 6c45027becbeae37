import RoostModel

/// Checks a JSON value against a JSON Schema.
///
/// It supports the keywords that the schemas of the server use: `type` (a name or an array of names),
/// `enum`, `properties`, `required`, `additionalProperties` (a Boolean or a schema), `items`, `minItems`,
/// `maxItems`, `minLength`, `maxLength` (both in Unicode scalars), `minimum`, `maximum`, `anyOf` and `$ref`
/// to a component.
struct SchemaCheck {
    /// The schemas to which `$ref` refers, by name.
    var components: [String: JSONValue] = [:]
    /// Whether objects with `properties` may have other members if `additionalProperties` permits them. Tests
    /// of answers, which are open for newer versions, do not permit this.
    var permitsUndeclared = true
    /// Whether the null of an optional property is the same as no value. Models often send it.
    var nullIsAbsent = false
    static let referencePrefix = "#/components/schemas/"

    /// Returns a sentence about the first fault of a value; `nil` if the value is valid.
    func fault(in value: JSONValue, _ schema: JSONValue, at path: String) -> String? {
        if let reference = schema["$ref"]?.string {
            guard let target = components[String(reference.dropFirst(Self.referencePrefix.count))] else {
                return "the schema of \(path) refers to \(reference), which does not exist"
            }
            return fault(in: value, target, at: path)
        }
        if let options = schema["anyOf"]?.elements {
            let faults = options.compactMap { fault(in: value, $0, at: path) }
            if faults.count == options.count { return faults.joined(separator: "; or ") }
        }
        if let types = schema["type"].map({ $0.elements ?? [$0] })?.compactMap(\.string),
            !types.contains(where: { Self.isValue(value, of: $0) })
        {
            return Self.mismatch(value, schema, types, at: path)
        }
        if let values = schema["enum"]?.elements, !values.contains(value) {
            let names = values.map { $0.string ?? String(decoding: $0.serialized(), as: UTF8.self) }
            return "\(path) must be one of \(names.joined(separator: ", "))"
        }
        switch value {
        case .object(let members): return fault(in: members, schema, at: path)
        case .array(let elements): return fault(in: elements, schema, at: path)
        case .string(let text): return fault(in: text, schema, at: path)
        case .integer, .number: return numberFault(in: value.double ?? 0, schema, at: path)
        case .null, .bool: return nil
        }
    }

    private static func article(_ type: String) -> String {
        switch type {
        case "null": "null"
        case "integer": "a whole number"
        case "array", "object": "an \(type)"
        default: "a \(type)"
        }
    }

    private static func isValue(_ value: JSONValue, of type: String) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array),
            ("object", .object), ("number", .integer), ("number", .number), ("integer", .integer):
            true
        case ("integer", .number(let number)): Int64(exactly: number) != nil
        default: false
        }
    }

    private func fault(
        in members: [String: JSONValue], _ schema: JSONValue, at path: String
    ) -> String? {
        let properties = schema["properties"]?.members ?? [:]
        for name in members.keys.sorted() {
            guard let value = members[name] else { continue }
            let inner = "\(path).\(name.prefix(80))"
            if let property = properties[name] {
                if nullIsAbsent, value == .null { continue }
                if let fault = fault(in: value, property, at: inner) { return fault }
            } else if let others = schema["additionalProperties"] {
                if others == false || (!permitsUndeclared && schema["properties"] != nil) {
                    return Self.unknown(members.keys.filter { properties[$0] == nil }, properties, at: path)
                }
                if others != true, let fault = fault(in: value, others, at: inner) { return fault }
            }
        }
        // Unknown members are reported first, because they often are misspelled names of required ones.
        for name in schema["required"]?.elements?.compactMap(\.string) ?? []
        where members[name] == nil || nullIsAbsent && members[name] == .null {
            return "\(path) needs the member '\(name)'"
        }
        return nil
    }

    private static func unknown(
        _ names: [String], _ properties: [String: JSONValue], at path: String
    ) -> String {
        let shown = names.sorted().prefix(10).map { "'\($0.prefix(80))'" }.joined(separator: ", ")
        let known = properties.keys.sorted().joined(separator: ", ")
        return "\(path) has the unknown member\(names.count == 1 ? "" : "s") \(shown); "
            + (known.isEmpty ? "it has no members" : "known members: \(known)")
    }

    /// Returns the fault of a value with another type, which names both types: models often write an array or an object
    /// as a string.
    private static func mismatch(
        _ value: JSONValue, _ schema: JSONValue, _ types: [String], at path: String
    ) -> String {
        let found =
            switch value {
            case .null: "null"
            case .bool: "a Boolean"
            case .integer, .number: "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        var expected = types.map(article).joined(separator: " or ")
        if types == ["array"], schema["items"]?["type"] == "string" { expected += " of strings" }
        // A number is not always a whole number.
        return "\(path) must be \(expected)"
            + (types == ["integer"] && found == "a number" ? "" : ", not \(found)")
    }

    private func fault(in elements: [JSONValue], _ schema: JSONValue, at path: String) -> String? {
        if let minimum = schema["minItems"]?.integer, elements.count < minimum {
            return "\(path) needs at least \(minimum) element\(minimum == 1 ? "" : "s")"
        }
        if let maximum = schema["maxItems"]?.integer, elements.count > maximum {
            return "\(path) has more than \(maximum) elements"
        }
        guard let items = schema["items"] else { return nil }
        if Self.areUnrestrictedNumbers(elements, items) { return nil }
        for (index, element) in elements.enumerated() {
            if let fault = fault(in: element, items, at: "\(path)[\(index)]") { return fault }
        }
        return nil
    }

    /// Returns whether all elements are numbers and the schema permits any number. A separate check of each
    /// element of a vector against the schema would take a fifth of the time of a search.
    private static func areUnrestrictedNumbers(_ elements: [JSONValue], _ schema: JSONValue) -> Bool {
        guard schema["type"]?.string == "number",
            schema.members?.keys.allSatisfy({ $0 == "type" || $0 == "description" }) == true
        else { return false }
        return elements.allSatisfy { element in
            switch element {
            case .integer, .number: true
            default: false
            }
        }
    }

    private func fault(in text: String, _ schema: JSONValue, at path: String) -> String? {
        if let minimum = schema["minLength"]?.integer, text.unicodeScalars.count < minimum {
            return minimum == 1 ? "\(path) is empty" : "\(path) is shorter than \(minimum) characters"
        }
        if let maximum = schema["maxLength"]?.integer, text.utf8.count > maximum,
            text.unicodeScalars.count > maximum
        {
            return "\(path) is longer than \(maximum) characters"
        }
        return nil
    }

    private func numberFault(in number: Double, _ schema: JSONValue, at path: String) -> String? {
        let (minimum, maximum) = (schema["minimum"], schema["maximum"])
        guard number < minimum?.double ?? -.infinity || number > maximum?.double ?? .infinity else {
            return nil
        }
        return switch (minimum, maximum) {
        case (let minimum?, let maximum?):
            "\(path) must be from \(Self.text(minimum)) to \(Self.text(maximum))"
        case (let minimum?, nil): "\(path) must be at least \(Self.text(minimum))"
        default: "\(path) must be at most \(Self.text(maximum ?? .null))"
        }
    }

    private static func text(_ number: JSONValue) -> String {
        String(decoding: number.serialized(), as: UTF8.self)
    }
}
