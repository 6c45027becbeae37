/// The numbers of passages and tokens in a store, and the entries with long texts.
public struct TextStatistics: Sendable, Hashable {
    /// The number of passages that are searched.
    public var passages: Int
    /// The number of tokens in the passages, as counted by the embedding model.
    public var tokens: Int
    /// The ids of the entries that are not embedded or have a long passage, in the order of their rows.
    public var longEntries: [Entry.ID]

    /// Creates statistics.
    public init(passages: Int = 0, tokens: Int = 0, longEntries: [Entry.ID] = []) {
        self.passages = passages
        self.tokens = tokens
        self.longEntries = longEntries
    }

    /// Adds an entry.
    ///
    /// - Parameter length: The length in UTF-8 bytes that a long passage exceeds; `nil` if no passage is long.
    mutating func add(_ entry: Entry, longerThan length: Int?) {
        let searchable = entry.searchablePassages
        passages += searchable.count
        tokens += entry.passages.reduce(0) { $0 + $1.tokenCount }
        let isLong = length.map { length in searchable.contains { $0.utf8Range.count > length } } ?? false
        if entry.embeddings.isEmpty || isLong { longEntries.append(entry.id) }
    }
}
