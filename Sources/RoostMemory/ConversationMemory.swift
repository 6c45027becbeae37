import Foundation
public import Roost
public import RoostConversations
public import RoostModel

/// The messages of conversations as entries of a store: they are searched by meaning and by words, clustered,
/// backed up and exported like all entries.
///
///     let memory = ConversationMemory(store)
///     try await memory.remember([MessageDraft(role: .user, content: "I moved to Oslo.")], in: scope)
///     let found = try await memory.recall("Where does she live?")
///
/// Messages are removed only by `forget(_:)`. The limit on the length of a conversation, which
/// `ChatStorage` has, applies to what is fetched, not to what is kept.
public struct ConversationMemory: Sendable {
    /// The store of the messages.
    public let store: KnowledgeStore

    /// Creates a memory in a store.
    public init(_ store: KnowledgeStore) { self.store = store }

    /// The numbers of remembered messages.
    public struct Report: Sendable, Hashable, Encodable {
        /// The number of messages that were added.
        public var new = 0
        /// The number of messages that the memory contained already.
        public var known = 0

        /// Creates an empty report.
        public init() {}
    }

    // MARK: Remembering

    /// Adds messages to a scope, in their order. Messages that the scope contains already are not changed.
    ///
    /// - Parameters:
    ///   - drafts: The messages.
    ///   - scope: The conversation that the messages belong to.
    ///   - batchSize: The maximum number of messages of one commit; `nil` adds all messages in one commit.
    /// - Atomicity: Each commit adds all of its messages, with consecutive numbers, or none.
    /// - Throws: `RoostError` with `.badInput` for a time outside the years 1 to 9999; `EmbedderError`;
    ///   `StorageError`; `CancellationError`.
    @discardableResult
    public func remember(
        _ drafts: [MessageDraft], in scope: ChatScope, batchSize: Int? = nil
    ) async throws -> Report {
        try await MessageWriter(store: store, scope: scope).write(drafts, batchSize: batchSize)
    }

    // MARK: Reading

    /// Returns the messages that match a filter, sorted by scope and by their numbers.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    public func messages(_ filter: Filter = .all) async throws -> [RememberedMessage] {
        try await RememberedMessage.read(filter.entries, from: try await store.storage.snapshot())
    }

    // MARK: Forgetting

    /// Removes the messages that match a filter.
    ///
    /// - Returns: The number of messages that were removed.
    /// - Throws: `StorageError`; `CancellationError`.
    @discardableResult
    public func forget(_ filter: Filter) async throws -> Int {
        try await forget(try await messages(filter))
    }

    /// Removes messages in one commit. Messages that were added after these were read are not removed.
    ///
    /// - Returns: The number of messages that were removed. Messages that another process has removed do not
    ///   count.
    /// - Throws: `StorageError`; `CancellationError`.
    @discardableResult
    public func forget(_ messages: [RememberedMessage]) async throws -> Int {
        try await ConflictRetry.standard.run {
            let snapshot = try await store.storage.snapshot()
            let present = try await snapshot.entries(messages.map(\.id)).map(\.id)
            guard !present.isEmpty else { return 0 }
            var batch = WriteBatch(removals: present)
            let removed = Set(present)
            // The record of a scope is removed with its last message.
            for record in try await snapshot.sources(Array(Set(messages.map(\.scope.source))))
            where record.entryIDs.allSatisfy(removed.contains) {
                batch.removedSources.append(record.id)
            }
            batch.expecting.epoch = snapshot.stamp.epoch
            batch.expecting.revision = snapshot.stamp.revision
            _ = try await store.storage.commit(batch)
            return present.count
        }
    }
}

extension RememberedMessage {
    /// Reads the messages among the entries that match a filter, sorted by scope and by their numbers.
    static func read(
        _ filter: EntryFilter, from snapshot: any StorageSnapshot
    ) async throws -> [RememberedMessage] {
        var messages: [RememberedMessage] = []
        for try await page in snapshot.entryPages(matching: filter) {
            messages += page.entries.compactMap(RememberedMessage.init)
        }
        // The source of a scope is computed on each access, which is too slow for a comparison.
        let sources = Dictionary(uniqueKeysWithValues: Set(messages.map(\.scope)).map { ($0, $0.source) })
        return messages.map { (source: sources[$0.scope] ?? "", message: $0) }
            .sorted { ($0.source, $0.message.number) < ($1.source, $1.message.number) }
            .map(\.message)
    }
}
