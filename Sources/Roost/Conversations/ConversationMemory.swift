public import Foundation
public import RoostConversations
public import RoostModel

/// What was said to agents, and by them, as entries of a store: searched by meaning and by words, clustered,
/// backed up and exported like any other.
///
///     let memory = ConversationMemory(store)
///     try await memory.remember([MessageDraft(role: .user, content: "I moved to Oslo.")], in: scope)
///     let found = try await memory.recall("Where does she live?")
///
/// Nothing is ever dropped from it but by ``forget(_:)``: an agent's window shapes only what
/// ``ChatStorage/fetch(userId:sessionId:agentId:maxMessages:)`` gives of it.
public struct ConversationMemory: Sendable {
    public let store: KnowledgeStore

    public init(_ store: KnowledgeStore) { self.store = store }

    /// What was done with some messages.
    public struct Report: Sendable, Hashable, Encodable {
        public var new = 0
        /// Messages that the store had already.
        public var known = 0

        public init() {}
    }

    /// How often a commit is tried that another writer was quicker than.
    private static let attempts = 100
    private static let numberPrefix = "chat:"

    // MARK: Remembering

    /// Adds messages to a scope, in their order; those that it has already are left alone.
    ///
    /// - Atomicity: one commit: all messages with their entries, or none; they stand next to each other.
    /// - Throws: ``RoostError`` with `.badInput` for a time that no store can keep; ``EmbedderError``;
    ///   ``StorageError``.
    @discardableResult
    public func remember(_ drafts: [MessageDraft], in scope: ChatScope) async throws -> Report {
        var report = Report()
        var entries = try Self.entries(drafts, scope)
        let present = Set(try await store.storage.snapshot().entries(entries.map(\.id)).map(\.id))
        report.known = drafts.count - entries.count { !present.contains($0.id) }
        entries.removeAll { present.contains($0.id) }
        guard !entries.isEmpty else { return report }
        // What has no words has no vector; it is part of the conversation all the same.
        let worded = entries.filter { !$0.content.allSatisfy(\.isWhitespace) }
        let digests = Set(worded.map { ContentDigest(of: $0.content) })
        let known = try await store.storage.snapshot().embeddedEntries(withContent: digests)
        var embedding = IngestReport()
        let embedded = try await store.embedded(worded, known: known, &embedding)
        let vectors = Dictionary(embedded.map { ($0.id, $0) }) { first, _ in first }
        entries = entries.map { vectors[$0.id] ?? $0 }
        report.new = try await commit(entries, scope, &report)
        return report
    }

    /// - Returns: how many were new still.
    private func commit(
        _ entries: [Entry], _ scope: ChatScope, _ report: inout Report
    ) async throws -> Int {
        var placing = IngestPlacing()
        for attempt in 1... {
            let snapshot = try await store.storage.snapshot()
            let present = Set(try await snapshot.entries(entries.map(\.id)).map(\.id))
            let missing = entries.filter { !present.contains($0.id) }
            guard !missing.isEmpty else {
                report.known += entries.count
                return 0
            }
            let record = try await snapshot.sources([scope.source]).first
            let first = record.flatMap { Int64($0.fingerprint.dropFirst(Self.numberPrefix.count)) } ?? 0
            var batch = WriteBatch()
            for (place, entry) in missing.enumerated() {
                var entry = entry
                entry.metadata[RememberedMessage.Key.number] = .integer(first + Int64(place))
                batch.upserts.append(entry)
                batch.expecting.entries[entry.id] = .zero
            }
            let next = first + Int64(missing.count)
            batch.sources = [Source(id: scope.source, fingerprint: "\(Self.numberPrefix)\(next)")]
            // Two who number a scope at once must not give one number twice.
            batch.expecting.epoch = snapshot.stamp.epoch
            batch.expecting.revision = snapshot.stamp.revision
            try await placing.place(Set(missing.map(\.id)), in: &batch, snapshot)
            do {
                placing.committed(batch, at: try await store.storage.commit(batch))
                report.known += entries.count - missing.count
                return missing.count
            } catch let error as StorageError where error.code == .conflict && attempt < Self.attempts {
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...10)))
            }
        }
        return 0
    }

    private static func entries(_ drafts: [MessageDraft], _ scope: ChatScope) throws -> [Entry] {
        var (entries, seen) = ([Entry](), Set<Entry.ID>())
        var occurrences: [ContentDigest: Int] = [:]
        let now = Date()
        for draft in drafts {
            let key: String
            if let id = draft.id {
                key = "message:\(id)"
            } else {
                let time = draft.timestamp.map { "\($0.milliseconds)" } ?? ""
                let digest = ContentDigest(
                    of: [draft.role.rawValue, draft.speaker ?? "", time, draft.content].joined(
                        separator: "\u{0}"))
                key = EntryID.contentKey(digest, occurrence: occurrences[digest, default: 0])
                occurrences[digest, default: 0] += 1
            }
            let id = EntryID.derived(source: scope.source, key: key)
            guard seen.insert(id).inserted else { continue }
            let date = draft.timestamp ?? now
            guard date.isWritable else {
                throw RoostError(.badInput, "a message's time is none of the years 1 to 9999")
            }
            typealias Key = RememberedMessage.Key
            var metadata: [String: MetadataValue] = [
                Key.kind: .string(Key.message), Key.user: .string(scope.userId),
                Key.session: .string(scope.sessionId), Key.agent: .string(scope.agentId),
                Key.role: .string(draft.role.rawValue),
            ]
            if let speaker = draft.speaker, !speaker.isEmpty { metadata[Key.speaker] = .string(speaker) }
            if let name = draft.id { metadata[Key.name] = .string(name) }
            entries.append(
                Entry(
                    id: id, content: RememberedMessage.text(draft), source: scope.source, key: key,
                    metadata: metadata, createdAt: date))
        }
        return entries
    }

    // MARK: Looking

    /// Whose messages are meant: all conditions must hold.
    public struct Filter: Sendable, Hashable {
        public var userId: String?
        public var sessionId: String?
        public var agentId: String?
        public var since: Date?
        /// Messages of that time itself are not meant.
        public var until: Date?

        public static let all = Filter()

        public init(
            userId: String? = nil, sessionId: String? = nil, agentId: String? = nil, since: Date? = nil,
            until: Date? = nil
        ) {
            (self.userId, self.sessionId, self.agentId) = (userId, sessionId, agentId)
            (self.since, self.until) = (since, until)
        }

        public init(_ scope: ChatScope) {
            self.init(userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId)
        }

        /// The entries that are meant.
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
                filter.created = start..<max(start, until ?? .distantFuture)
            }
            return filter
        }
    }

    /// The messages that are meant, by scope and by their numbers in it.
    ///
    /// - Throws: ``StorageError``.
    public func messages(_ filter: Filter = .all) async throws -> [RememberedMessage] {
        try await Self.messages(filter.entries, try await store.storage.snapshot())
    }

    static func messages(
        _ filter: EntryFilter, _ snapshot: any StorageSnapshot
    ) async throws -> [RememberedMessage] {
        var messages: [RememberedMessage] = []
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.entries(after: row, limit: 1000, matching: filter)
            messages += page.entries.compactMap(RememberedMessage.init)
            row = page.next
        } while row != nil
        return messages.sorted {
            ($0.scope.source, $0.number) < ($1.scope.source, $1.number)
        }
    }

    /// Removes the messages that are meant.
    ///
    /// - Returns: how many.
    /// - Throws: ``StorageError``.
    @discardableResult
    public func forget(_ filter: Filter) async throws -> Int {
        let snapshot = try await store.storage.snapshot()
        let messages = try await Self.messages(filter.entries, snapshot)
        guard !messages.isEmpty else { return 0 }
        var batch = WriteBatch(removals: messages.map(\.id))
        // A scope without messages is none any more.
        for record in try await snapshot.sources(Array(Set(messages.map(\.scope.source)))) {
            let gone = Set(batch.removals)
            if record.entryIDs.allSatisfy(gone.contains) { batch.removedSources.append(record.id) }
        }
        _ = try await store.storage.commit(batch)
        return messages.count
    }
}

/// A memory is a storage of histories that keeps everything: the rules of windows shape what is fetched.
extension ConversationMemory: ChatStorage {
    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return trimToEvenPairs(window(of: try await messages(Filter(scope))), maxMessages: maxMessages)
    }

    public func save(
        _ message: ConversationMessage, userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws {
        try await saveMessages(
            [message], userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
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
        let scopes = Dictionary(grouping: all, by: \.scope)
        // By time; of equal ones by the agent's id, and each agent's in their order.
        return scopes.sorted { $0.key.source < $1.key.source }
            .flatMap { scope, messages in
                window(of: messages).map { $0.attributed(agentId: scope.agentId) }
            }
            .enumerated().sorted {
                ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
            }.map(\.element)
    }

    /// Without messages that follow another of their role.
    private func window(of messages: [RememberedMessage]) -> [ConversationMessage] {
        var history: [ConversationMessage] = []
        for message in messages.map(\.message) where !isConsecutiveSameRole(history, message) {
            history.append(message)
        }
        return history
    }
}
