public import RoostVectors

/// What a text is embedded as: some models put different prefixes before questions and documents.
public enum TextRole: Sendable, Hashable {
    case query
    case document
}

/// Vectors of texts, and what was left out.
public struct Embeddings: Sendable, Hashable {
    /// (texts, dimension); row i belongs to text i.
    public var vectors: Matrix
    /// How many of the model's tokens each text was embedded from, without the special ones.
    public var tokenCounts: [Int]
    /// How many tokens of each text were left out because the model's limit was reached; 0 for nearly all.
    public var omittedTokens: [Int]

    public init(vectors: Matrix, tokenCounts: [Int], omittedTokens: [Int]) {
        precondition(vectors.rows == tokenCounts.count && vectors.rows == omittedTokens.count)
        self.vectors = vectors
        self.tokenCounts = tokenCounts
        self.omittedTokens = omittedTokens
    }
}

/// Turns text into vectors.
///
/// The same text gives the same vector, alone or among others, up to rounding (1e-5 a component).
public protocol Embedder: Sendable {
    /// What the vectors can be compared with.
    var space: EmbeddingSpace { get }

    /// How many tokens of a text, without special ones, one vector takes in; `nil` where there is no limit.
    var maximumTokens: Int? { get }

    /// The vectors of texts.
    ///
    /// Nothing is cut silently: what exceeds `maximumTokens` is counted in `omittedTokens`.
    /// - Parameter texts: any number, in any language; an empty text has a vector too.
    /// - Returns: (texts.count, dimension) row-major Float32, unit length if the space says so.
    /// - Throws: `CancellationError` where the task is cancelled between batches; `EmbedderError`.
    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings

    /// Where the tokens of a text lie: ascending, disjoint ranges of its UTF-8 bytes, which a splitter
    /// counts by.
    ///
    /// - Complexity: O(length of text).
    func tokenRanges(in text: String) -> [Range<Int>]
}

extension Embedder {
    /// The vector of one text.
    public func embed(_ text: String, as role: TextRole) async throws -> [Float] {
        try await embed([text], as: role).vectors.row(0)
    }
}

/// Why text could not be embedded, or a model not be opened.
public struct EmbedderError: Error, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no model at the place, or a file of it is missing.
        public static let modelNotFound = Code(rawValue: "modelNotFound")
        /// A file of the model is damaged or lies about its contents.
        public static let damagedModel = Code(rawValue: "damagedModel")
        /// The model is of a kind or has a setting that is not supported.
        public static let unsupportedModel = Code(rawValue: "unsupportedModel")
        /// A remote model cannot be reached, or has no time now.
        public static let unavailable = Code(rawValue: "unavailable")
        /// A remote model rejects what it is asked: the key, the model's name, the text.
        public static let refused = Code(rawValue: "refused")
        /// A remote model's answer is not what was asked for.
        public static let badAnswer = Code(rawValue: "badAnswer")
        /// What the user says of a remote model cannot be used.
        public static let configuration = Code(rawValue: "configuration")
        /// What was to be written could not be.
        public static let badOutput = Code(rawValue: "badOutput")
    }

    public let code: Code
    /// One sentence: what happened, to what.
    public let message: String
    /// Whether the same call can succeed later without a change.
    public let isRetryable: Bool

    public init(_ code: Code, _ message: String, isRetryable: Bool = false) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
    }

    public var description: String { message }
}
