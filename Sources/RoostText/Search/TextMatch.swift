/// A document that matches a query.
package struct TextMatch: Sendable, Hashable {
    /// The index of the part in the collection.
    package var part: Int
    /// The number of the document in the part.
    package var document: Int
    /// The BM25 score, greater than 0.
    package var score: Float
}
