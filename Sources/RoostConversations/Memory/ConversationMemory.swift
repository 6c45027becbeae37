public import Foundation
public import Roost
public import RoostModel

/// Stores the messages of conversations as entries, so they are searched by meaning and by words, clustered,
/// backed up and exported like all other entries.
///
///     let memory = ConversationMemory(store)
///     try await memory.remember([MessageDraft(role: .user, content: "I moved to Oslo.")], in: scope)
///     let found = try await memory.recall("Where does she live?")
///
/// Messages are removed only by `forget(_:)` and by the functions of the store. The limit that `ChatStorage`
/// sets on the length of a conversation applies to fetching messages, not to keeping them.
public struct ConversationMemory: Sendable {
    /// The store that contains the messages.
    public let store: KnowledgeStore

    /// Creates a memory that keeps its messages in the given store.
    public init(_ store: KnowledgeStore) { self.store = store }

    /// The result of remembering messages.
    public struct Report: Sendable, Hashable, Encodable {
        /// The number of messages that were added.
        public var new = 0
        /// The number of messages that the memory already contained.
        public var known = 0

        /// Creates an empty report.
        public init() {}
    }

    // MARK: Remembering

    /// Adds messages to a scope in the given order. Messages that the scope already contains are not changed.
    ///
    /// A message with a name or a time is known if the scope contains a message with the same name or,
    /// without a name, with the same role, speaker, time and content. The other messages continue the
    /// conversation: only those are known that it already ends with, compared by role, speaker and content.
    /// So a call can be repeated before the next one, and can begin with any number of the last messages, or
    /// with all of them; an equal text later in the conversation is a new message. A stored message whose
    /// text was edited is compared with both texts. A message of the role `system` is known wherever the
    /// scope contains an equal one.
    ///
    /// One of the last 1,000 messages that was removed from the store is known at its place in the
    /// conversation, so a client that still has it does not restore it; one with a name or a time is known by
    /// these. A number of 24 bits represents the text of a removed message, so another is mistaken for it
    /// in 1 of 16 million cases.
    ///
    /// - Parameters:
    ///   - drafts: The messages.
    ///   - scope: The conversation that the messages belong to.
    ///   - batchSize: The maximum number of messages in one commit; `nil` adds all messages in one commit.
    /// - Atomicity: Each commit adds either all of its messages, with consecutive numbers, or none.
    /// - Throws: `RoostError` with `.badInput` for a time outside the years 1 to 9999; `EmbedderError`;
    ///   `StorageError`; `CancellationError`.
    @discardableResult
    public func remember(
        _ drafts: [MessageDraft], in scope: ChatScope, batchSize: Int? = nil
    ) async throws -> Report {
        try await MessageWriter(store: store, scope: scope).write(
            drafts, isComplete: false, batchSize: batchSize)
    }

    /// Adds the messages of a conversation that was read from a file. The transcript begins with the first
    /// message of the conversation, so it can be added again, also when it has become longer or was edited:
    /// messages without a name and a time are distinguished from equal ones by their number among them. If
    /// one of the last 1,000 messages was removed from the store, it is not added again.
    ///
    /// - Parameters:
    ///   - transcript: The conversation. Its names of the session, the agent and the user are not used.
    ///   - scope: The conversation that the messages belong to.
    ///   - batchSize: The maximum number of messages in one commit; `nil` adds all messages in one commit.
    /// - Throws: The same errors as ``remember(_:in:batchSize:)``.
    @discardableResult
    public func remember(
        _ transcript: Transcript, in scope: ChatScope, batchSize: Int? = nil
    ) async throws -> Report {
        try await MessageWriter(store: store, scope: scope).write(
            transcript.messages, isComplete: true, batchSize: batchSize)
    }

    // MARK: Reading

    /// Returns the messages that match a filter, sorted by scope and by their numbers.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    @concurrent
    public func messages(_ filter: Filter = .all) async throws -> [RememberedMessage] {
        try await messages(filter, in: store.storage.snapshot())
    }

    package func messages(
        _ filter: Filter, in snapshot: any StorageSnapshot
    ) async throws -> [RememberedMessage] {
        try await RememberedMessage.read(filter.entries, from: snapshot)
    }

    // MARK: Forgetting

    /// Removes the messages that match a filter.
    ///
    /// - Returns: The number of messages that were removed.
    /// - Throws: `StorageError`; `CancellationError`.
    @discardableResult
    public func forget(_ filter: Filter) async throws -> Int { try await forget(try await messages(filter)) }

    /// Removes messages in one commit. Messages that were added to the store later are not removed.
    ///
    /// - Returns: The number of messages that were removed. Messages that another process has already removed
    ///   are not counted.
    /// - Throws: `StorageError`; `CancellationError`.
    @discardableResult
    public func forget(_ messages: [RememberedMessage]) async throws -> Int {
        try await store.storage.commitChange { snapshot in
            // The revisions show which entries exist, without reading their texts and vectors.
            let ids = messages.map(\.id)
            var stored = Set(try await snapshot.revisions(of: ids).keys)
            let present = ids.filter { stored.remove($0) != nil }
            guard !present.isEmpty else { return (WriteBatch(), 0) }
            var batch = WriteBatch(removals: present)
            let removed = Set(present)
            // Removes the source record of a scope together with the last message of the scope.
            for record in try await snapshot.sources(Array(Set(messages.map(\.scope.source))))
            where record.entryIDs.allSatisfy(removed.contains) {
                batch.removedSources.append(record.id)
            }
            batch.expecting.epoch = snapshot.stamp.epoch
            batch.expecting.revision = snapshot.stamp.revision
            return (batch, present.count)
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
        // Computes the source id of each scope once, because computing it in every comparison would be too
        // slow.
        let sources = Dictionary(uniqueKeysWithValues: Set(messages.map(\.scope)).map { ($0, $0.source) })
        return messages.map { (source: sources[$0.scope] ?? "", message: $0) }
            .sorted { ($0.source, $0.message.number) < ($1.source, $1.message.number) }
            .map(\.message)
    }
}

/// Makes the memory usable as a chat storage that keeps every message. The limit on the number of messages
/// applies only to fetching.
extension ConversationMemory: ChatStorage {
    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return trimToEvenPairs(alternating(try await messages(Filter(scope))), maxMessages: maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        try await remember(
            messages.map(MessageDraft.init),
            in: ChatScope(userId: userId, sessionId: sessionId, agentId: agentId))
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let all = try await messages(Filter(userId: userId, sessionId: sessionId))
        return ChatRules.merged(
            Dictionary(grouping: all, by: \.scope).map { ($0.key.agentId, alternating($0.value)) })
    }

    /// Returns the messages, omitting each message that directly follows one with the same role.
    private func alternating(_ messages: [RememberedMessage]) -> [ConversationMessage] {
        ChatRules.adding(messages.map(\.message), to: [])
    }
}

extension ConversationMemory {
    /// A selection of messages. A message matches if it meets all conditions that are set.
    public struct Filter: Sendable, Hashable {
        /// The user of the conversation.
        public var userId: String?
        /// The session of the conversation.
        public var sessionId: String?
        /// The agent of the conversation.
        public var agentId: String?
        /// The start of the time range. A message with exactly this time matches.
        public var since: Date?
        /// The end of the time range. A message with exactly this time does not match.
        public var until: Date?

        /// A filter that matches all messages.
        public static let all = Filter()

        /// The end of the year 9999, after which a store cannot represent dates.
        private static let latestEnd = Date(timeIntervalSince1970: 253_402_300_800)

        /// Creates a filter.
        public init(
            userId: String? = nil, sessionId: String? = nil, agentId: String? = nil, since: Date? = nil,
            until: Date? = nil
        ) {
            (self.userId, self.sessionId, self.agentId) = (userId, sessionId, agentId)
            (self.since, self.until) = (since, until)
        }

        /// Creates a filter that matches the messages of one conversation.
        public init(_ scope: ChatScope) {
            self.init(userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId)
        }

        /// The corresponding filter for the entries of the store.
        public var entries: EntryFilter {
            typealias Key = RememberedMessage.Key
            var filter = EntryFilter(metadata: [Key.kind: Key.message])
            filter.metadata[Key.user] = userId
            filter.metadata[Key.session] = sessionId
            filter.metadata[Key.agent] = agentId
            if let userId, let sessionId, let agentId {
                let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
                filter.sources = [scope.source]
            }
            if since != nil || until != nil {
                let start = since ?? .distantPast
                filter.created = start..<max(start, until ?? Self.latestEnd)
            }
            return filter
        }
    }
}

extension ConversationMemory {
    /// The types of messages that are not part of the conversation.
    private static let omittedTypes: Set<MessageType> = [.thinking, .toolUse, .toolResult, .toolError]

    /// The result of remembering a session.
    public struct SessionReport: Sendable, Hashable, Encodable {
        /// The numbers of new and known messages.
        public var messages = Report()
        /// The number of messages that are not part of the conversation: reasoning, the use of tools, and
        /// empty messages.
        public var omitted = 0
    }

    /// Adds the messages of a stored session. Messages that the memory already contains are not changed.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - userId: The user of the conversation.
    ///   - agentId: The agent of the conversation.
    ///   - batchSize: The maximum number of messages in one commit; `nil` adds all messages in one commit.
    /// - Throws: The same errors as ``remember(_:in:batchSize:)``.
    @discardableResult
    public func remember(
        _ session: StoredSession, userId: String, agentId: String, batchSize: Int? = nil
    ) async throws -> SessionReport {
        let scope = ChatScope(userId: userId, sessionId: session.id, agentId: agentId)
        let spoken = session.messages.filter {
            !Self.omittedTypes.contains($0.messageType) && !$0.content.isEmpty
        }
        let drafts = spoken.map { message in
            MessageDraft(
                id: message.id.uuidString.lowercased(), role: message.role, content: message.content,
                timestamp: message.timestamp)
        }
        let report = try await remember(drafts, in: scope, batchSize: batchSize)
        return SessionReport(messages: report, omitted: session.messages.count - spoken.count)
    }
}
