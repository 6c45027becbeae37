public import RoostVectors

/// The role of an embedded text. Some models add different prefixes to queries and to documents.
public enum TextRole: Sendable, Hashable {
    /// The text is a search query.
    case query
    /// The text is stored, to be found by searches.
    case document
}

/// The result of embedding texts: their vectors, and the numbers of embedded and omitted tokens.
public struct Embeddings: Sendable, Hashable {
    /// One row per text, in the order of the texts.
    public var vectors: Matrix
    /// For each text, the number of embedded tokens, not counting special tokens.
    public var tokenCounts: [Int]
    /// For each text, the number of tokens that were omitted because they exceeded the limit of the model.
    public var omittedTokens: [Int]

    /// Creates the result of an embedding.
    ///
    /// - Precondition: `tokenCounts` and `omittedTokens` have one element per row of `vectors`.
    public init(vectors: Matrix, tokenCounts: [Int], omittedTokens: [Int]) {
        precondition(vectors.rows == tokenCounts.count && vectors.rows == omittedTokens.count)
        self.vectors = vectors
        self.tokenCounts = tokenCounts
        self.omittedTokens = omittedTokens
    }
}

/// A model that embeds texts as vectors.
///
/// A text has the same vector whether it is embedded alone or with others, up to rounding (1e-5 per
/// component).
public protocol Embedder: Sendable {
    /// The embedding space of the vectors. It determines which other vectors they can be compared with.
    var space: EmbeddingSpace { get }

    /// The maximum number of tokens per text, not counting special tokens; `nil` if there is no limit. Texts
    /// are divided as if a number below 1 were 1.
    var maximumTokens: Int? { get }

    /// Returns the vectors of texts.
    ///
    /// Tokens beyond ``maximumTokens`` do not affect the vector; ``Embeddings/omittedTokens`` counts them.
    ///
    /// - Parameters:
    ///   - texts: Any number of texts in any language. An empty text has a vector too.
    ///   - role: Whether the texts are queries or documents.
    /// - Returns: One vector per text, of unit length if ``EmbeddingSpace/isNormalized``.
    /// - Throws: ``EmbedderError``; `CancellationError` if the task is canceled between batches.
    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings

    /// A digest of all files of the model that affect its vectors; `nil` if the model has no files. It
    /// differs between two copies of a model if one of them is damaged. A store records it for each batch
    /// of vectors.
    ///
    /// The default implementation returns `nil`.
    var fingerprint: String? { get }

    /// Reads the model completely and checks that it is not damaged.
    ///
    /// The default implementation embeds a fixed text.
    ///
    /// - Throws: ``EmbedderError`` with `.damagedModel` if a file differs from its recorded checksum; the
    ///   errors of ``embed(_:as:)``.
    func checkModel() async throws

    /// Returns the ranges of the tokens in a text. A passage splitter uses them to count tokens.
    ///
    /// - Parameter text: The text to tokenize.
    /// - Returns: Ascending, disjoint ranges of UTF-8 bytes. Ranges that begin before the previous one, or
    ///   that are outside of the text, are ignored.
    /// - Complexity: O(n), where n is the length of the text.
    func tokenRanges(in text: String) -> [Range<Int>]

    /// Returns the text that consists of the given tokens of the model's vocabulary.
    ///
    /// The special tokens at the start and at the end of a sequence can be present or absent. The default
    /// implementation returns `nil`.
    ///
    /// - Parameter ids: The ids of the tokens.
    /// - Returns: A text whose tokens are `ids`; `nil` if no text has these tokens, as for ids of another
    ///   vocabulary, or if the model has no vocabulary.
    /// - Complexity: O(n log v), where n is the number of ids and v the size of the vocabulary.
    func text(ofTokens ids: [Int]) -> String?

    /// Returns whether the vocabulary of the model contains a word as a whole. Searches do not correct
    /// the spelling of such a word.
    ///
    /// The default implementation returns `false`.
    ///
    /// - Parameter word: A word in lower case without diacritics.
    /// - Complexity: O(n), where n is the length of the word.
    func vocabularyContains(_ word: String) -> Bool

    /// Returns whether the model knows enough of a text for its vector to have a meaning.
    ///
    /// A model that replaces each unknown word or character with the same token computes the same vector for
    /// all texts of such words. A store gives these texts a zero vector, which is similar to no other one,
    /// and searches for them by words only.
    ///
    /// The default implementation returns `true`.
    ///
    /// - Complexity: O(n), where n is the length of the text.
    func understands(_ text: String) -> Bool
}

extension Embedder {
    public var fingerprint: String? { nil }

    public func text(ofTokens ids: [Int]) -> String? { nil }

    public func vocabularyContains(_ word: String) -> Bool { false }

    public func understands(_ text: String) -> Bool { true }

    public func checkModel() async throws {
        _ = try await checkedEmbeddings([EmbeddingProbe.text], as: .document)
    }

    /// Returns the vector of one text, scaled to unit length.
    ///
    /// - Parameters:
    ///   - text: The text to embed.
    ///   - role: Whether the text is a query or a document.
    /// - Throws: The errors of ``embed(_:as:)``; ``EmbedderError`` with `.badAnswer` if the vector has the
    ///   wrong dimension or a component that is not finite.
    public func embed(_ text: String, as role: TextRole) async throws -> [Float] {
        try await checkedEmbeddings([text], as: role).vectors.row(0)
    }
}

/// The error that is thrown if a model cannot be opened, or cannot embed a text or label a cluster.
public struct EmbedderError: Error, Sendable, CustomStringConvertible {
    /// A code for the kind of an error. The set of codes is open: a model may define additional ones.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the code, which is the same as the name of its constant.
        public let rawValue: String

        /// Creates a code with the given name. The name need not be one that this version defines.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The folder of the model, or one of its files, is missing.
        public static let modelNotFound = Code(rawValue: "modelNotFound")
        /// A file of the model is corrupt or contradicts another one.
        public static let damagedModel = Code(rawValue: "damagedModel")
        /// The architecture or a setting of the model is not supported.
        public static let unsupportedModel = Code(rawValue: "unsupportedModel")
        /// A remote model cannot be reached or is overloaded.
        public static let unavailable = Code(rawValue: "unavailable")
        /// A remote model rejects the request because of the key, the model name or the text.
        public static let refused = Code(rawValue: "refused")
        /// The response from a remote model has an unexpected format or content.
        public static let badAnswer = Code(rawValue: "badAnswer")
        /// The configuration of a remote model is invalid.
        public static let configuration = Code(rawValue: "configuration")
        /// The converted model cannot be written.
        public static let badOutput = Code(rawValue: "badOutput")
    }

    /// The kind of the error.
    public let code: Code
    /// A human-readable sentence that states the operation, its object and the cause of the error.
    public let message: String
    /// Whether repeating the same call later can succeed.
    public let isRetryable: Bool

    /// The action that can solve the problem, if there is one.
    public let remedy: Remedy?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: A human-readable sentence without text from the user.
    ///   - isRetryable: Whether repeating the same call later can succeed.
    ///   - remedy: The action that can solve the problem.
    public init(_ code: Code, _ message: String, isRetryable: Bool = false, remedy: Remedy? = nil) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
        self.remedy = remedy
    }

    public var description: String { message }
}
