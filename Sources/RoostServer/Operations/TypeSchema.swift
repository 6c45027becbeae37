import Foundation
import RoostClustering
import RoostModel

/// Derives JSON Schemas from types with a synthesized `init(from:)`, so that a schema cannot differ from the JSON.
///
/// The initializer asks a decoder for each member by its name and type. This decoder writes them down, and answers with
/// an empty value. Optional members are not required.
enum TypeSchema {
    static func schema<Value: Decodable>(of type: Value.Type) -> JSONValue {
        if let known = type as? any KnownType.Type { return known.schema }
        let members = Members()
        _ = try? Value(from: MemberDecoder(members: members))
        // The name without that of the module, such as `SearchOutput`.
        let name = String(reflecting: type).split(separator: ".").dropFirst().joined()
        return Schema.object(
            named: name, members.properties, required: members.required.sorted(),
            isOpen: true)
    }

    fileprivate static func sample<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let sample = (type as? any KnownType.Type)?.sample as? Value { return sample }
        return try Value(from: MemberDecoder(members: Members()))
    }

    fileprivate final class Members {
        var properties: [String: JSONValue] = [:]
        var required: Set<String> = []
        var optional: Set<String> = []
    }

    private struct NotSupported: Error {}

    private struct MemberDecoder: Decoder {
        let members: Members
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(MemberContainer(members: members))
        }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotSupported() }

        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NotSupported() }
    }

    private struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: Members
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        // Only `decodeIfPresent` asks for this.
        func contains(_ key: Key) -> Bool {
            members.optional.insert(key.stringValue)
            return true
        }

        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            members.properties[key.stringValue] = TypeSchema.schema(of: type)
            if !members.optional.contains(key.stringValue) { members.required.insert(key.stringValue) }
            return try TypeSchema.sample(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw NotSupported() }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw NotSupported()
        }

        func superDecoder() throws -> any Decoder { throw NotSupported() }

        func superDecoder(forKey key: Key) throws -> any Decoder { throw NotSupported() }
    }
}

/// A type whose schema is not that of an object with fixed members.
private protocol KnownType {
    static var schema: JSONValue { get }
    static var sample: Self { get }
}

extension String: KnownType {
    fileprivate static var schema: JSONValue { ["type": "string"] }
    fileprivate static var sample: String { "" }
}

extension Bool: KnownType {
    fileprivate static var schema: JSONValue { ["type": "boolean"] }
    fileprivate static var sample: Bool { false }
}

extension Int: KnownType {
    fileprivate static var schema: JSONValue { ["type": "integer"] }
    fileprivate static var sample: Int { 0 }
}

extension Float: KnownType {
    fileprivate static var schema: JSONValue { ["type": "number"] }
    fileprivate static var sample: Float { 0 }
}

extension Double: KnownType {
    fileprivate static var schema: JSONValue { ["type": "number"] }
    fileprivate static var sample: Double { 0 }
}

extension UUID: KnownType {
    fileprivate static var schema: JSONValue { ["type": "string", "format": "uuid"] }
    fileprivate static var sample: UUID { UUID() }
}

extension ClusterLineage.Kind: KnownType {
    fileprivate static var schema: JSONValue {
        Schema.choice(allCases.map(\.rawValue), "The kind of the event.")
    }
    fileprivate static var sample: ClusterLineage.Kind { .birth }
}

extension Array: KnownType where Element: Decodable {
    fileprivate static var schema: JSONValue {
        ["type": "array", "items": TypeSchema.schema(of: Element.self)]
    }
    fileprivate static var sample: [Element] { [] }
}

extension Optional: KnownType where Wrapped: Decodable {
    fileprivate static var schema: JSONValue { Schema.nullable(TypeSchema.schema(of: Wrapped.self)) }
    fileprivate static var sample: Wrapped? { nil }
}

extension Dictionary: KnownType where Key == String, Value == MetadataValue {
    fileprivate static var schema: JSONValue { Schema.metadata }
    fileprivate static var sample: [String: MetadataValue] { [:] }
}
