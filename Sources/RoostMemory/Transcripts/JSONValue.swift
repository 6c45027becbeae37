import Foundation

/// Any JSON value, for files of other programs whose format is only partly known.
enum JSONValue: Decodable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    /// An integer. `Decimal` represents the ids beyond 2^53 that `Double` would change.
    case integer(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses a JSON document.
    ///
    /// - Returns: `nil` for invalid JSON.
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

    /// Returns the value of the first of several keys that has a value other than `null`.
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

    /// A string, or the decimal form of a number. Ids may be either.
    var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        default: nil
        }
    }
}
