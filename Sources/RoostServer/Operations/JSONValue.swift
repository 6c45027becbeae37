import Foundation
public import RoostModel

/// A value of a JSON message. Metadata values represent every JSON value, with at most
/// `MetadataValue.maximumDepth` levels.
public typealias JSONValue = MetadataValue

extension MetadataValue {
    /// The value; `nil` for `null`, with which some clients write an absent value.
    package var unlessNull: JSONValue? { self == .null ? Optional.none : self }

    var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The integer, if the value is a whole number that `Int` can represent.
    var integer: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    package func strings(_ name: String) -> [String] { (self[name]?.elements ?? []).compactMap(\.string) }

    static func count(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    /// Returns the value as compact JSON on one line, with the members of objects in alphabetical order.
    func serialized() -> Data {
        var text: [UInt8] = []
        text.append(metadata: self)
        return Data(text)
    }

    package static func encoding(_ value: some Encodable) throws -> JSONValue {
        try JSONValue(json: JSONTextEncoder().encode(value))
    }
}
