public import RoostConversations

extension ConversationMemory {
    /// Returns the messages that answer a query best, best first.
    ///
    /// The score of a message is the mean of its cosine and its BM25 score, each divided by the maximum among
    /// all candidates. A tenth of the scores of the adjacent messages in its scope is added, and a quarter if
    /// the query names a time that includes the time of the message. (The scores are not fused by rank,
    /// because this would lose the differences between scores, which are informative for short texts.)
    ///
    /// - Parameters:
    ///   - query: The query, usually a question.
    ///   - filter: The messages to search.
    ///   - options: The limits and the scoring options.
    /// - Throws: `RoostError` with `.badInput` for an empty query or options out of range;
    ///   `EmbedderError`; `StorageError`; `CancellationError`.
    public func recall(
        _ query: String, in filter: Filter = .all, _ options: RecallOptions = RecallOptions()
    ) async throws -> [Recollection] {
        try await Recall(store: store, query: query, filter: filter, options: options).run()
    }

    /// Returns the messages of a scope that answer a query best, best first.
    ///
    /// - Throws: The same errors as ``recall(_:in:_:)``.
    public func recall(
        _ query: String, in scope: ChatScope, limit: Int = 10
    ) async throws -> [Recollection] {
        try await recall(query, in: Filter(scope), RecallOptions(limit: limit))
    }
}
