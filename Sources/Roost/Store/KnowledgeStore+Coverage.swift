public import RoostModel

extension KnowledgeStore {
    /// How many tokens of an entry's text none of its vectors tells of: those beyond the model's limit in
    /// each passage, and all of an entry that has no vector.
    ///
    /// Ingest splits long texts, so that it is 0 for what came in that way; entries with vectors of one's own
    /// may have more.
    /// - Complexity: O(length of text) where a passage may reach the limit.
    public func omittedTokens(of entry: Entry) -> Int {
        guard !entry.embeddings.isEmpty else { return embedder.tokenRanges(in: entry.content).count }
        guard let limit = embedder.maximumTokens else { return 0 }
        // No token is shorter than a byte.
        return entry.searchablePassages.filter { $0.utf8Range.count > limit }.reduce(0) { sum, passage in
            sum + max(0, embedder.tokenRanges(in: entry.text(of: passage) ?? "").count - limit)
        }
    }
}
