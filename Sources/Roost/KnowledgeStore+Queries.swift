public import RoostText

extension KnowledgeStore {
    /// Parses a query as a search of this store does: a word with a hyphen is text, and not an exclusion, if
    /// an entry contains it after the word before it, as in `git commit -amend`.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    public func parsedQuery(_ text: String) async throws -> TextQuery {
        let check = ExclusionCheck(storage: storage, words: wordCatalog, filteredRows: filteredRows)
        return TextQuery(text, keepingAsText: try await check.phrasesInEntries(for: [EntrySearch(text)])[0])
    }
}
