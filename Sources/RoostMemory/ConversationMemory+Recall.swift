public import RoostConversations

extension ConversationMemory {
    /// Returns the messages that answer a query best, best first.
    ///
    /// The score of a message is the mean of its cosine and its BM25 score, each divided by the maximum of
    /// the result, plus a tenth of the scores of the messages next to it in its scope, plus a quarter if the
    /// message is of a time that the query names. (Fusion by rank loses the differences between scores, which
    /// are informative for short texts.)
    ///
    /// - Parameters:
    ///   - query: The query, usually a question.
    ///   - filter: The messages to search.
    ///   - options: The limits and the scoring.
    /// - Throws: `RoostError` with `.badInput` for an empty query or options out of range;
    ///   `EmbedderError`; `StorageError`; `CancellationError`.
    public func recall(
        _ query: String, in filter: Filter = .all, _ options: RecallOptions = RecallOptions()
    ) async throws -> [Recollection] {
        try await Recall(store: store, query: query, filter: filter, options: options).run()
    }

    /// Returns the messages of a scope that answer a query best, best first.
    ///
    /// - Throws: As ``recall(_:in:_:)``.
    public func recall(
        _ query: String, in scope: ChatScope, limit: Int = 10
    ) async throws -> [Recollection] {
        try await recall(query, in: Filter(scope), RecallOptions(limit: limit))
    }
}
