import Foundation
public import RoostModel

/// A value of a JSON message. Metadata values represent every JSON value, with at most
/// `MetadataValue.maximumDepth` levels.
public typealias JSONValue = MetadataValue

extension MetadataValue {
    /// Returns the member of an object with the given name; `nil` if the value is not an object or lacks the
    /// member.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    var members: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    var flag: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    /// The integer, if the value is a whole number that `Int` can represent.
    var integer: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    var asString: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// Returns the strings of a member that is an array; empty if it is absent.
    func strings(_ name: String) -> [String] { (self[name]?.elements ?? []).compactMap(\.asString) }

    static func count(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    /// Returns the value as compact JSON on one line, with the members of objects in alphabetical order.
    func serialized() -> Data {
        var text: [UInt8] = []
        text.append(metadata: self)
        return Data(text)
    }

    /// The byte order mark, with which some programs on Windows begin a text. RFC 8259, section 8.1, permits
    /// to ignore it.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Parses a JSON text, which may begin with a byte order mark.
    ///
    /// - Parameter repairsSurrogates: Whether half of a surrogate pair is read as U+FFFD; otherwise it is an
    ///   error.
    /// - Throws: `JSONError`, also if the value is nested too deeply.
    init(json: Data, repairsSurrogates: Bool = false) throws {
        self = try json.withUnsafeBytes { bytes in
            let start = bytes.starts(with: Self.mark) ? Self.mark.count : 0
            var reader = JSONReader(
                UnsafeRawBufferPointer(rebasing: bytes[start...]), repairsSurrogates: repairsSurrogates)
            let value = try MetadataValue(message: &reader)
            try reader.expectEnd()
            return value
        }
    }

    static func encoding(_ value: some Encodable) throws -> JSONValue {
        try JSONValue(json: JSONEncoder().encode(value))
    }
}
