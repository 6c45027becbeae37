import Foundation

/// Any JSON, for files of other programs of which only parts are known.
enum JSONValue: Decodable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    /// A whole number: as a Double those beyond 2^53 would be others.
    case integer(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// - Returns: `nil` for what is no JSON.
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

    /// The value of the first of some keys that has one: a null is none.
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

    /// A text, or a number as one writes it; ids are either.
    var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        default: nil
        }
    }
}
