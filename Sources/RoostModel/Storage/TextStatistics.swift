/// The numbers of passages and tokens in a store, and the entries with tokens that possibly no vector covers.
public struct TextStatistics: Sendable, Hashable {
    /// The number of passages that are searched.
    public var passages: Int
    /// The number of tokens in the passages, as counted by the embedding model.
    public var tokens: Int
    /// The ids of the entries that are not embedded or have a long passage, in the order of their rows. A
    /// passage is long if it may have more tokens than the embedding model reads.
    public var longEntries: [Entry.ID]

    /// Creates statistics.
    public init(passages: Int = 0, tokens: Int = 0, longEntries: [Entry.ID] = []) {
        self.passages = passages
        self.tokens = tokens
        self.longEntries = longEntries
    }

    /// Adds an entry.
    ///
    /// - Parameter limit: The maximum number of tokens that the embedding model reads; `nil` for no limit.
    mutating func add(_ entry: Entry, maximumTokens limit: Int?) {
        let searchable = entry.searchablePassages
        passages += searchable.count
        tokens += entry.passages.reduce(0) { $0 + $1.tokenCount }
        if entry.embeddings.isEmpty || searchable.contains(where: { Self.isLong($0, limit) }) {
            longEntries.append(entry.id)
        }
    }

    /// Returns whether a passage may have more tokens than a limit. A token has at least one byte, and the
    /// token count of a passage is that of the tokens that were embedded, or 0 if it is unknown.
    private static func isLong(_ passage: Passage, _ limit: Int?) -> Bool {
        guard let limit, passage.utf8Range.count > limit else { return false }
        return passage.tokenCount == 0 || passage.tokenCount >= limit
    }
}
