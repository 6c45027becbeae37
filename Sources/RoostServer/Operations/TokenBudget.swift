import RoostModel

/// The number of tokens that an answer may still use.
///
/// Tokens are estimated from the length of the JSON, because the tokenizer of the model that reads the answer
/// is unknown.
struct TokenBudget {
    /// The default, which is below the limits at which hosts truncate results.
    static let standard = 8_000
    /// The values that a caller can choose.
    static let range = 200...50_000
    static let parameter = Argument(
        "budget",
        Schema.integer(
            "The maximum size of the answer in tokens; \(standard) by default for agents, otherwise unlimited.",
            range), .programs)
    /// The estimated number of UTF-8 bytes per token. English prose has about four; code and other languages
    /// have fewer.
    private static let bytesPerToken = 3

    /// The number of bytes that remain.
    private(set) var remainingBytes: Int

    /// Creates a budget; without a number of tokens, it is unlimited.
    init(tokens: Int?) { remainingBytes = tokens.map { $0 * Self.bytesPerToken } ?? .max }

    /// Uses the part of the budget that a value needs.
    ///
    /// - Returns: `false`, without a change, if the value does not fit.
    mutating func take(_ value: JSONValue) -> Bool {
        // One byte for the comma between elements.
        let size = value.serialized().count + 1
        guard size <= remainingBytes else { return false }
        remainingBytes -= size
        return true
    }

    /// Uses the part of the budget that the returned values need.
    ///
    /// - Returns: The first of the given values, as many as fit. The first value is always returned, so that
    ///   even a small budget makes progress.
    mutating func takeFirst(of values: [JSONValue]) -> [JSONValue] {
        var count = 0
        while count < values.count, take(values[count]) || count == 0 { count += 1 }
        return Array(values.prefix(count))
    }

    /// Uses the part of the budget that a value needs, or all of it if the value does not fit.
    mutating func use(_ value: JSONValue) { if !take(value) { remainingBytes = 0 } }
}
