import Foundation

/// Any JSON value. Used to read files from other programs, whose formats are only partly known.
enum JSONValue: Decodable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    /// An integer. `Decimal` represents ids above 2^53 exactly, whereas `Double` would round them.
    case integer(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses a JSON document, or returns `nil` if the JSON is invalid.
    init?(_ data: Data) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            let exact = value.rounded() == value ? try? container.decode(Decimal.self) : nil
            self = exact.map { .integer($0) } ?? .number(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    subscript(key: String) -> JSONValue? { if case .object(let fields) = self { fields[key] } else { nil } }

    /// Returns the value of the first of the given keys whose value exists and is not `null`.
    func first(_ keys: String...) -> JSONValue? {
        keys.lazy.compactMap { self[$0] }.first { $0 != .null }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var number: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }

    /// The value as text: a string unchanged, or a number in decimal form. Ids may be either.
    var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        default: nil
        }
    }
}
