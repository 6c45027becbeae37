public import Foundation
import RoostText
public import RoostVectors

/// A model that embeds texts as vectors.
///
/// A text has the same vector whether it is embedded alone or with others, up to rounding (1e-5 per
/// component).
public protocol Embedder: Sendable {
    /// The embedding space of the vectors. It determines which other vectors they can be compared with.
    var space: EmbeddingSpace { get }

    /// The maximum number of tokens per text, not counting special tokens; `nil` if there is no limit. Texts
    /// are divided as if a number below 1 were 1, and are not divided without a limit.
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

    /// Reads the model completely and checks that it is not damaged.
    ///
    /// The default implementation embeds a fixed text.
    ///
    /// - Throws: ``EmbedderError`` with `.damagedModel` if a file differs from its recorded checksum; the
    ///   errors of ``embed(_:as:)``.
    func checkModel() async throws

    /// Returns the ranges of the tokens in a text. A passage splitter uses them to count tokens.
    ///
    /// The default implementation returns the ranges of the words, for a model whose tokenizer is not
    /// available. ``maximumTokens`` is a number of words then, and should leave room for words of several
    /// tokens.
    ///
    /// - Parameter text: The text to tokenize.
    /// - Returns: Ascending, disjoint ranges of UTF-8 bytes. Ranges that begin before the previous one, or
    ///   that are outside of the text, are ignored.
    /// - Complexity: O(n), where n is the length of the text.
    func tokenRanges(in text: String) -> [Range<Int>]

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
    public func tokenRanges(in text: String) -> [Range<Int>] { Words(text).map(\.utf8Range) }

    public func vocabularyContains(_ word: String) -> Bool { false }

    public func understands(_ text: String) -> Bool { true }

    public func checkModel() async throws {
        _ = try await checkedEmbeddings([EmbeddingProbe.text], as: .document)
    }

    /// Returns the vector of one text, scaled to unit length.
    ///
    /// - Throws: The errors of ``embed(_:as:)``; ``EmbedderError`` with `.badAnswer` if the vector has the
    ///   wrong dimension or a component that is not finite.
    public func embed(_ text: String, as role: TextRole) async throws -> [Float] {
        try await checkedEmbeddings([text], as: role).vectors.row(0)
    }
}

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
    /// For each text, the number of embedded tokens, not counting special tokens; 0 if it is unknown.
    public var tokenCounts: [Int]
    /// For each text, the number of tokens that were omitted because they exceeded the limit of the model.
    public var omittedTokens: [Int]

    /// Creates the result of an embedding.
    ///
    /// - Parameters:
    ///   - vectors: One row per text.
    ///   - tokenCounts: For each text, the number of embedded tokens; `nil` if the numbers are unknown.
    ///   - omittedTokens: For each text, the number of omitted tokens; `nil` for zeros.
    /// - Precondition: `tokenCounts` and `omittedTokens` have one element per row of `vectors`.
    public init(vectors: Matrix, tokenCounts: [Int]? = nil, omittedTokens: [Int]? = nil) {
        let zeros = [Int](repeating: 0, count: vectors.rows)
        self.vectors = vectors
        self.tokenCounts = tokenCounts ?? zeros
        self.omittedTokens = omittedTokens ?? zeros
        precondition(vectors.rows == self.tokenCounts.count && vectors.rows == self.omittedTokens.count)
    }
}

extension Embedder {
    /// The share of a language's function words that the vocabulary of a model for this language contains. Those of
    /// English models have 88% of the English words and at most 58% of those of another language; those of
    /// multilingual models have 80% or more.
    private static var functionWordShare: Double { 0.7 }

    /// Whether the vocabulary has the function words of English, but of no other language. `false` for a model whose
    /// vocabulary is unknown.
    package var readsOnlyEnglish: Bool {
        func hasWords(of language: TextLanguage) -> Bool {
            let words = StopWords.byLanguage[language] ?? []
            return Double(words.count(where: vocabularyContains)) > Self.functionWordShare
                * Double(words.count)
        }
        return hasWords(of: .english)
            && !TextLanguage.allCases.contains { $0 != .english && hasWords(of: $0) }
    }
}

extension Embedder {
    /// The maximum deviation of a vector's squared length from 1 that is not corrected. It is far above the
    /// rounding error of Float32, so the vectors of local models stay bit-identical.
    private static var lengthTolerance: Double { 1e-5 }

    /// Returns the vectors of texts, checked and scaled to unit length.
    ///
    /// Everything that stores or compares vectors calls this method instead of ``embed(_:as:)``: scores are
    /// cosines of unit vectors, and an embedder, in particular a remote one, may return anything. A vector of
    /// zeros is left unchanged: it belongs to a text without words.
    ///
    /// - Throws: The errors of ``embed(_:as:)``; ``EmbedderError`` with `.badAnswer` if the number of
    ///   vectors or token counts, the dimension or a component is invalid.
    package func checkedEmbeddings(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        var embeddings = try await embed(texts, as: role)
        let vectors = embeddings.vectors
        let counts = [vectors.rows, embeddings.tokenCounts.count, embeddings.omittedTokens.count]
        func badAnswer(_ answer: String) -> EmbedderError {
            EmbedderError(
                .badAnswer,
                "cannot embed \(Count.text(texts.count, "text")): the model \(space.model) returned \(answer)"
            )
        }
        guard counts.allSatisfy({ $0 == texts.count }) else {
            throw badAnswer(
                "\(Count.text(counts[0], "vector")), \(counts[1]) numbers of tokens and \(counts[2]) numbers of "
                    + "omitted tokens")
        }
        guard texts.isEmpty || vectors.columns == space.dimension else {
            throw badAnswer("vectors of dimension \(vectors.columns), expected dimension \(space.dimension)")
        }
        var isChanged = false
        var elements = vectors.elements
        for row in 0..<vectors.rows {
            let range = row * vectors.columns..<(row + 1) * vectors.columns
            // In Double, the square of a finite Float neither overflows nor becomes zero.
            let square = elements[range].reduce(0) { $0 + Double($1) * Double($1) }
            guard square.isFinite else { throw badAnswer("a vector with a component that is not finite") }
            guard square > 0, abs(square - 1) > Self.lengthTolerance else { continue }
            let scale = 1 / square.squareRoot()
            for index in range { elements[index] = Float(Double(elements[index]) * scale) }
            isChanged = true
        }
        if isChanged {
            embeddings.vectors = Matrix(rows: vectors.rows, columns: vectors.columns, elements: elements)
        }
        return embeddings
    }
}

/// The error that is thrown if a model cannot be opened, or cannot embed a text or label a cluster.
public struct EmbedderError: LocalizedError, Sendable, CustomStringConvertible {
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
        /// The configuration of a remote model, or the name or a prefix of a model to install, is invalid.
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

    /// The action that can solve the problem; `nil` if none is known.
    public let remedy: Remedy?

    /// Creates an error.
    public init(_ code: Code, _ message: String, isRetryable: Bool = false, remedy: Remedy? = nil) {
        (self.code, self.message, self.isRetryable, self.remedy) = (code, message, isRetryable, remedy)
    }

    public var description: String { message }

    public var errorDescription: String? { message }
}

/// A source of labels for clusters, such as a chat model.
public protocol ClusterLabeler: Sendable {
    /// The name of the labeler, which is stored with its labels (``Cluster/labeledBy``).
    var name: String { get }

    /// Returns a label of a few words for the cluster from which an excerpt was taken.
    ///
    /// The method may be called for several clusters at the same time.
    ///
    /// - Parameter excerpt: The excerpt of the cluster.
    /// - Returns: The proposed label. The caller checks whether it is suitable.
    /// - Throws: ``EmbedderError``; `CancellationError`. After `.badAnswer`, the caller continues with the
    ///   other clusters; every other error, also of another type, ends the labeling.
    func label(_ excerpt: ClusterExcerpt) async throws -> String
}

/// An excerpt from a cluster, from which a labeler derives a label: keywords and the beginnings of typical
/// texts.
public struct ClusterExcerpt: Sendable, Hashable, Codable {
    /// The words that distinguish the cluster from the others, the most distinctive first.
    public var keywords: [String]
    /// The beginnings of the texts nearest to the centroid, nearest first.
    public var texts: [String]

    /// Creates an excerpt.
    public init(keywords: [String], texts: [String]) { (self.keywords, self.texts) = (keywords, texts) }
}
