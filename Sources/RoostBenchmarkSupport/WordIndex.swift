public import RoostText

/// An in-memory full-text index of the same kind as a store uses.
public struct WordIndex: Sendable {
    private let collection: TextCollection

    /// Builds an index.
    ///
    /// - Parameter texts: The documents; the number of a document is its offset.
    /// - Complexity: O(length of all texts).
    public init(_ texts: [String]) {
        var builder = InvertedIndexBuilder()
        for text in texts { builder.add(text) }
        var collection = TextCollection()
        collection.parts = [TextPart(builder.finish())]
        self.collection = collection
    }

    /// The total number of words in all documents.
    public var wordCount: Int { collection.parts[0].index.length }

    /// The size of the index in bytes.
    public var byteCount: Int {
        collection.parts[0].index.withSections { $0.reduce(0) { $0 + $1.bytes.count } }
    }

    /// Returns the numbers of the documents that match a query best, best first.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - limit: The maximum number of documents.
    /// - Throws: `CancellationError`.
    public func search(_ query: TextQuery, limit: Int) throws -> [Int] {
        let allowed = try collection.allowed(by: query)
        let matches = try collection.ranked(
            query, limit: limit, isAllowed: { allowed?[$0][$1] ?? true },
            precedes: { $0.document < $1.document })
        return matches.map(\.document)
    }
}

/// Returns the words of a text in lower case, in order.
public func words(of text: String) -> [String] { Words(text).map(\.folded) }
