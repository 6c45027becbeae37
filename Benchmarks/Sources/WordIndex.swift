import RoostText

/// An in-memory full-text index of the same kind as a store uses.
struct WordIndex: Sendable {
    private let collection: TextCollection

    /// Builds an index.
    ///
    /// - Parameter texts: The documents; the number of a document is its offset.
    /// - Complexity: O(length of all texts).
    init(_ texts: [String]) {
        var builder = InvertedIndexBuilder()
        for text in texts { builder.add(text) }
        var collection = TextCollection()
        collection.parts = [TextPart(builder.finish())]
        self.collection = collection
    }

    /// The total number of words in all documents.
    var wordCount: Int { collection.parts[0].index.length }

    /// The size of the index in bytes.
    var byteCount: Int {
        collection.parts[0].index.withSections { $0.reduce(0) { $0 + $1.bytes.count } }
    }

    /// Returns the numbers of the documents that match a query best, best first.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - limit: The maximum number of documents.
    /// - Throws: `CancellationError`.
    func search(_ query: TextQuery, limit: Int) throws -> [Int] {
        let query = try collection.resolved(query, correctsSpelling: true)
        let allowed = try collection.allowed(by: query)
        let matches = try collection.scores(for: query).best(
            limit, isAllowed: { allowed?[$0][$1] ?? true }, precedes: { $0.document < $1.document })
        return matches.map(\.document)
    }
}

extension WordIndex {
    /// The number of different words, including identifiers and the inflected forms of a word.
    var formCount: Int { collection.parts[0].index.formCount }

    /// Returns the corrections of the misspelled words of a query.
    func corrected(_ query: TextQuery) throws -> [TextCorrection] {
        try collection.resolved(query, correctsSpelling: true).corrections
    }
}

/// Returns the words of a text in lower case that are not English stop words, in order.
func significantWords(of text: String) -> [String] {
    words(of: text).filter { !StopWords.english.contains($0) }
}

/// Returns the words of a text in lower case, in order.
func words(of text: String) -> [String] { Words(text).map(\.folded) }
