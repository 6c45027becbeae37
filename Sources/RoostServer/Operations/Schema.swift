import Foundation
import RoostModel

enum Schema {
    static func string(_ description: String, minimum: Int? = nil, maximum: Int? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["type": "string", "description": .string(description)]
        members["minLength"] = minimum.map { .integer(Int64($0)) }
        members["maxLength"] = maximum.map { .integer(Int64($0)) }
        return .object(members)
    }

    static func choice(_ values: [String], _ description: String) -> JSONValue {
        [
            "type": "string", "enum": .array(values.map { .string($0) }), "description": .string(description),
        ]
    }

    static func integer(_ description: String, _ range: ClosedRange<Int>? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["type": "integer", "description": .string(description)]
        members["minimum"] = range.map { .integer(Int64($0.lowerBound)) }
        members["maximum"] = range.map { .integer(Int64($0.upperBound)) }
        return .object(members)
    }

    static func number(_ description: String, _ range: ClosedRange<Double>? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["type": "number", "description": .string(description)]
        members["minimum"] = range.map { .number($0.lowerBound) }
        members["maximum"] = range.map { .number($0.upperBound) }
        return .object(members)
    }

    static func flag(_ description: String) -> JSONValue {
        ["type": "boolean", "description": .string(description)]
    }

    static func array(
        of items: JSONValue, _ description: String, minimum: Int? = nil, maximum: Int? = nil
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": "array", "items": items, "description": .string(description),
        ]
        members["minItems"] = minimum.map { .integer(Int64($0)) }
        members["maxItems"] = maximum.map { .integer(Int64($0)) }
        return .object(members)
    }

    static func map(_ description: String) -> JSONValue {
        ["type": "object", "additionalProperties": true, "description": .string(description)]
    }

    /// The schema of metadata. Generated clients have one type for those of requests and of answers, so that
    /// the metadata of an entry can be sent back.
    static let metadata: JSONValue = [
        "title": "Metadata", "type": "object", "additionalProperties": true, "description": "Values by key.",
    ]

    /// Returns the schema of an object, which clients know by the name.
    ///
    /// - Parameter isOpen: Whether the object may have additional members. Requests are closed, so that a misspelled
    ///   name is reported; answers are open, so that clients accept those of newer versions.
    static func object(
        named name: String? = nil, _ properties: [String: JSONValue], required: [String] = [],
        isOpen: Bool = false, _ description: String? = nil
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": "object", "properties": .object(properties), "additionalProperties": .bool(isOpen),
        ]
        if !required.isEmpty { members["required"] = .array(required.map { .string($0) }) }
        members["description"] = description.map { .string($0) }
        members["title"] = name.map { .string($0) }
        return .object(members)
    }

    /// Returns the value that a text represents: for an array, JSON or its only element. A text that is not clearly a
    /// value of the schema stays a text.
    static func value(of text: String, _ schema: JSONValue) -> JSONValue {
        switch schema["type"]?.string {
        case "integer": Int64(text).map { .integer($0) } ?? .string(text)
        case "number": Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? .string(text)
        case "boolean": text == "true" ? true : text == "false" ? false : .string(text)
        case "array":
            if let value = try? JSONValue(json: Data(text.utf8)), value.elements != nil {
                value
            } else {
                text.contains(",") ? .string(text) : [value(of: text, schema["items"] ?? [:])]
            }
        default: .string(text)
        }
    }

    static func reference(_ name: String) -> JSONValue {
        ["$ref": .string(SchemaCheck.referencePrefix + name)]
    }

    static func nullable(_ schema: JSONValue) -> JSONValue {
        guard var members = schema.members, let type = members["type"] else { return schema }
        if let values = members["enum"]?.elements {
            // The values determine their types. With two types, generators make an enumeration for each.
            members["enum"] = .array(values + [.null])
            members["type"] = nil
        } else {
            members["type"] = .array((type.elements ?? [type]) + ["null"])
        }
        return .object(members)
    }
}
