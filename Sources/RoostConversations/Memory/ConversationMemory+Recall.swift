extension ConversationMemory {
    /// Returns the messages that answer a query best, best first. The result is empty if no message is closer
    /// to the query than unrelated text, unless the options include all messages.
    ///
    /// Messages are ranked like the hits of a search, with more weight for words. Shares of the relevance of
    /// the messages before and after a message are added to its relevance, and a bonus if the query names a
    /// date that includes the time of the message. If no message is close to the query, but some are from a
    /// date that it names, as in `what happened on 7 July`, the result is not empty.
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
        try await search(query, in: filter, options).recollections
    }

    /// Returns the messages that answer a query best, with information about the search, such as corrected
    /// words.
    ///
    /// - Throws: The same errors as ``recall(_:in:_:)``.
    @concurrent
    public func search(
        _ query: String, in filter: Filter = .all, _ options: RecallOptions = RecallOptions()
    ) async throws -> RecallResult {
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
