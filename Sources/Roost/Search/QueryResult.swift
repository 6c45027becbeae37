public import RoostModel
public import RoostText

/// The result of a search.
public struct QueryResult: Sendable {
    /// The hits, best first. If hits are equally good, the one with the lower id comes first. Empty if no
    /// entry is close to the query by its meaning and by the words that both contain.
    public var hits: [QueryHit]
    /// The best hits, at most three, if ``hits`` is empty because no entry is close to the query.
    public var nearest: [QueryHit] = []
    /// The state of the store that was searched.
    public var stamp: Stamp
    /// The number of entries that match the filter, contain what the query requires and do not contain what
    /// it excludes.
    public var candidateCount: Int
    /// The number of tokens of the query that were ignored because it exceeds the model's maximum length.
    public var omittedTokens = 0
    /// How the database found the nearest passages; `nil` if the client's index found them.
    public internal(set) var databasePlan: PassageSearchPlan?
    /// Messages to the user about how the result was obtained.
    public var notices: [SearchNotice] = []
    /// Whether no entry is close to the query, even if ``EntrySearch/includesAll`` keeps the hits in the
    /// result.
    package internal(set) var isNoise = false
    /// Whether the hits are passages (``EntrySearch/listsPassages``).
    var listsPassages = false
    /// The words that were searched for; `nil` for a search by vectors only.
    public internal(set) var text: TextQuery?

    /// Whether entries were found, but none of them is closer to the query than unrelated text.
    public var hasOnlyNoise: Bool { hits.isEmpty && !nearest.isEmpty }

    /// The words of the query that were replaced with similar words of the store, in order of the query.
    /// Empty if ``EntrySearch/usesExactWords`` is set.
    public var corrections: [TextCorrection] { text?.corrections ?? [] }

    /// Returns the excerpt of a hit's text that best shows why it was found, with the query's words
    /// highlighted.
    ///
    /// - Parameters:
    ///   - hit: A hit of this result.
    ///   - limit: The approximate maximum length in bytes of UTF-8.
    /// - Complexity: O(length of the entry).
    public func snippet(of hit: QueryHit, limit: Int = 240) -> Snippet {
        // Front matter and other hidden parts at the ends of a passage are shown only if nothing else
        // matches.
        let passage = hit.passage.utf8Range
        let treatment = TextTreatment(of: hit.entry)
        let area = treatment.visibleBounds(of: passage) ?? passage
        // Another passage may be listed too, so its excerpt is from this one.
        return Snippet(
            of: treatment.structure.readable(treatment.content, in: listsPassages ? area : nil),
            preferring: area, bodyStart: treatment.structure.bodyStart, for: text, limit: limit)
    }
}

/// A message to the user about a search that succeeded, for example that a damaged index was not used.
public struct SearchNotice: Sendable, Hashable, CustomStringConvertible {
    /// The message.
    public var message: String
    /// An action that removes the cause; `nil` if no known action does.
    public var remedy: Remedy?

    public var description: String { message }
}
