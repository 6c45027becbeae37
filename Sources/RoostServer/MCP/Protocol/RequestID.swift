import RoostModel

/// The id of a JSON-RPC request: a string or an integer.
package enum RequestID: Sendable, Hashable {
    case string(String)
    case integer(Int64)

    /// Creates an id from a JSON value.
    ///
    /// - Returns: `nil` if the value is neither a string nor a whole number.
    package init?(_ value: JSONValue?) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .number(let number):
            guard let whole = Int64(exactly: number) else { return nil }
            self = .integer(whole)
        default: return nil
        }
    }

    package var value: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        }
    }
}
