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
    /// - Parameter batchSize: so many go into one commit; `nil` puts all into one.
    /// - Atomicity: a commit: all its messages with their entries, or none; they stand next to each other.
    /// - Throws: ``RoostError`` with `.badInput` for a time that no store can keep; ``EmbedderError``;
    ///   ``StorageError``.
    @discardableResult
    public func remember(
        _ drafts: [MessageDraft], in scope: ChatScope, batchSize: Int? = nil
    ) async throws -> Report {
        var report = Report()
        // Of all at once: which of several equal texts one is must not depend on the batches.
        let entries = try Self.entries(drafts, scope)
        report.known = drafts.count - entries.count
        let size = max(1, batchSize ?? entries.count)
        for start in stride(from: 0, to: entries.count, by: size) {
            try Task.checkCancellation()
            try await remember(Array(entries[start..<min(entries.count, start + size)]), scope, &report)
        }
        return report
    }

    private func remember(_ given: [Entry], _ scope: ChatScope, _ report: inout Report) async throws {
        let present = try await known(given, scope)
        var entries = given.filter { !present.contains($0.id) }
        report.known += given.count - entries.count
        guard !entries.isEmpty else { return }
        // What has no words has no vector; it is part of the conversation all the same.
        let worded = entries.filter { !$0.content.allSatisfy(\.isWhitespace) }
        let digests = Set(worded.map { ContentDigest(of: $0.content) })
        let known = try await store.storage.snapshot().embeddedEntries(withContent: digests)
        var embedding = IngestReport()
        let embedded = try await store.embedded(worded, known: known, &embedding)
        let vectors = Dictionary(embedded.map { ($0.id, $0) }) { first, _ in first }
        entries = entries.map { vectors[$0.id] ?? $0 }
        report.new += try await commit(entries, scope, &report)
    }

    /// Those of some entries that the scope has: by their ids, or by the entry's own id where an export gave
    /// it to a message without a name.
    private func known(_ entries: [Entry], _ scope: ChatScope) async throws -> Set<Entry.ID> {
        let snapshot = try await store.storage.snapshot()
        var present = Set(try await snapshot.entries(entries.map(\.id)).map(\.id))
        let named = entries.compactMap { entry -> (entry: Entry.ID, exported: Entry.ID)? in
            guard !present.contains(entry.id),
                case .string(let name)? = entry.metadata[RememberedMessage.Key.name]
            else { return nil }
            return UUID(uuidString: name).map { (entry.id, $0) }
        }
        let exported = try await snapshot.entries(named.map(\.exported)).filter { $0.source == scope.source }
        let ids = Set(exported.map(\.id))
        present.formUnion(named.filter { ids.contains($0.exported) }.map(\.entry))
        return present
    }

    /// The number of a scope's next message.
    private static func next(
        in scope: ChatScope, _ snapshot: any StorageSnapshot
    ) async throws -> Int64 {
        let record = try await snapshot.sources([scope.source]).first
        if let record, record.fingerprint.hasPrefix(numberPrefix),
            let next = Int64(record.fingerprint.dropFirst(numberPrefix.count)), next >= 0
        {
            return next
        }
        // Entries that came without the record: of an import.
        let last = try await messages(Filter(scope).entries, snapshot).map(\.number).max()
        return Int64((last ?? -1) + 1)
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
            let first = try await Self.next(in: scope, snapshot)
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
                key = Self.key(named: id)
            } else {
                let time = draft.timestamp.map { "\($0.milliseconds)" } ?? ""
                let parts = [draft.role.rawValue, draft.speaker ?? "", time, draft.content]
                let digest = ContentDigest(of: parts.map { "\($0.utf8.count):\($0)" }.joined())
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
                // The year 9999 has the last days that a store keeps.
                filter.created = start..<max(start, until ?? Date(timeIntervalSince1970: 253_402_300_800))
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

    private static func key(named name: String) -> String { "message:\(name)" }

    /// The message of a scope that has a name: one or none.
    func messages(named name: String, in scope: ChatScope) async throws -> [RememberedMessage] {
        let id = EntryID.derived(source: scope.source, key: Self.key(named: name))
        return try await store.storage.snapshot().entries([id]).compactMap(RememberedMessage.init)
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
        // A scope's source is made anew each time it is asked for.
        let sources = Dictionary(uniqueKeysWithValues: Set(messages.map(\.scope)).map { ($0, $0.source) })
        return messages.map { (source: sources[$0.scope] ?? "", message: $0) }
            .sorted { ($0.source, $0.message.number) < ($1.source, $1.message.number) }
            .map(\.message)
    }

    /// Removes the messages that are meant.
    ///
    /// - Returns: how many.
    /// - Throws: ``StorageError``.
    @discardableResult
    public func forget(_ filter: Filter) async throws -> Int {
        try await forget(try await messages(filter))
    }

    /// Removes messages; what was said since they were read stays.
    ///
    /// - Returns: how many were there still.
    /// - Throws: ``StorageError``.
    @discardableResult
    public func forget(_ messages: [RememberedMessage]) async throws -> Int {
        for attempt in 1... {
            let snapshot = try await store.storage.snapshot()
            let present = try await snapshot.entries(messages.map(\.id)).map(\.id)
            guard !present.isEmpty else { return 0 }
            var batch = WriteBatch(removals: present)
            let gone = Set(present)
            // A scope without messages is none any more.
            for record in try await snapshot.sources(Array(Set(messages.map(\.scope.source)))) {
                if record.entryIDs.allSatisfy(gone.contains) { batch.removedSources.append(record.id) }
            }
            batch.expecting.epoch = snapshot.stamp.epoch
            batch.expecting.revision = snapshot.stamp.revision
            do {
                _ = try await store.storage.commit(batch)
                return present.count
            } catch let error as StorageError where error.code == .conflict && attempt < Self.attempts {
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...10)))
            }
        }
        return 0
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
