import RoostText
import RoostVectors

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
    public func tokenRanges(in text: String) -> [Range<Int>] { Words(text).map(\.utf8Range) }

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
