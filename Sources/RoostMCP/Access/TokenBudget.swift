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
    /// The estimated number of UTF-8 bytes per token. English prose has about four; code and other languages
    /// have fewer.
    private static let bytesPerToken = 3

    /// The number of bytes that remain.
    private(set) var remainingBytes: Int

    /// Creates a budget of the given number of tokens.
    init(tokens: Int) { remainingBytes = tokens * Self.bytesPerToken }

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
}
