import Foundation
import Roost
import RoostModel

struct MessageWriter: Sendable {
    let store: KnowledgeStore
    let scope: ChatScope

    /// Adds messages. See ``ConversationMemory/remember(_:in:batchSize:)``.
    func write(
        _ drafts: [MessageDraft], isComplete: Bool, batchSize: Int?
    ) async throws -> ConversationMemory.Report {
        guard drafts.allSatisfy({ $0.timestamp?.isWritable ?? true }) else {
            throw RoostError(.badInput, "cannot remember a message: its time is outside the years 1 to 9999")
        }
        let messages = PendingMessage.list(drafts, in: scope, isComplete: isComplete)
        var isContinued = false
        var report = ConversationMemory.Report()
        report.known = drafts.count - messages.count
        var run = Run(batchSize: max(1, batchSize ?? messages.count), placement: BatchPlacement(of: store))
        var rest = messages[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            let step = try await ConflictRetry.standard.run {
                // The snapshot is released before the commit; see `commitChange`.
                let step = try await next(
                    of: rest, isContinued: isContinued, &run, in: store.storage.snapshot())
                guard !step.batch.isEmpty else { return step }
                run.placement.committed(step.batch, at: try await store.storage.commit(step.batch))
                run.embedded = [:]
                return step
            }
            let new = step.batch.upserts.count
            report.new += new
            report.known += rest.count - step.rest.count - new
            (rest, isContinued) = (step.rest, true)
        }
        return report
    }

    /// The state of a call that the attempts to commit share.
    private struct Run {
        let batchSize: Int
        var placement: BatchPlacement
        let now = Date()
        /// The embedded entries of messages, by ``PendingMessage/index``. They are kept because a batch is
        /// built again if its commit fails due to a conflict.
        var embedded: [Int: Entry] = [:]
    }

    /// Returns the batch that adds the next messages of a call with consecutive numbers, except those that the
    /// scope contains.
    ///
    /// - Parameters:
    ///   - messages: The messages that remain.
    ///   - isContinued: Whether the call has already committed messages, so that the next ones follow them.
    ///     Otherwise, the messages that the conversation ends with, and those that were removed, are known.
    /// - Returns: The batch, which is empty if all of them are known, and the messages that remain.
    private func next(
        of messages: ArraySlice<PendingMessage>, isContinued: Bool, _ run: inout Run,
        in snapshot: any StorageSnapshot
    ) async throws -> (batch: WriteBatch, rest: ArraySlice<PendingMessage>) {
        var conversation: StoredConversation?
        var unknown = messages
        if !isContinued {
            let stored = try await StoredConversation(scope, in: snapshot)
            unknown = try await stored.continuation(of: messages)
            conversation = stored
        }
        let rest = unknown.dropFirst(run.batchSize)
        let present = try await present(unknown.prefix(run.batchSize), snapshot)
        let missing = unknown.prefix(run.batchSize).filter { !present.contains($0.index) }
        guard !missing.isEmpty else { return (WriteBatch(), rest) }
        if conversation == nil { conversation = try await StoredConversation(scope, in: snapshot) }
        guard let conversation else { return (WriteBatch(), rest) }
        let identities = try await conversation.identities(of: missing)
        var entries = zip(missing, identities).map { entry(of: $0, $1, at: run.now) }
        try await embed(&entries, of: missing, snapshot, &run)
        let first = conversation.nextNumber
        var batch = WriteBatch()
        for (offset, var entry) in entries.enumerated() {
            entry.metadata[RememberedMessage.Key.number] = .integer(first + Int64(offset))
            batch.upserts.append(entry)
            batch.expecting.entries[entry.id] = .zero
        }
        batch.sources = [conversation.record(adding: missing, identities)]
        // Requires that the store has not changed, because another commit may have continued the
        // conversation.
        batch.expecting.epoch = snapshot.stamp.epoch
        batch.expecting.revision = snapshot.stamp.revision
        try await run.placement.assign(Set(entries.map(\.id)), in: &batch, snapshot)
        return (batch, rest)
    }

    /// Gives entries the vectors of their texts. A message that is empty or contains only white space is not
    /// embedded, but it is part of the conversation.
    private func embed(
        _ entries: inout [Entry], of messages: [PendingMessage], _ snapshot: any StorageSnapshot,
        _ run: inout Run
    ) async throws {
        let new = entries.indices.filter {
            run.embedded[messages[$0].index] == nil && !entries[$0].content.allSatisfy(\.isWhitespace)
        }
        if !new.isEmpty {
            var report = IngestReport()
            let embedded = try await store.entryEmbedder.embed(
                new.map { entries[$0] }, reusing: snapshot, &report)
            for (index, entry) in zip(new, embedded) { run.embedded[messages[index].index] = entry }
        }
        for index in entries.indices {
            guard let embedded = run.embedded[messages[index].index] else { continue }
            entries[index].structure = embedded.structure
            entries[index].embeddings = embedded.embeddings
            entries[index].passages = embedded.passages
        }
    }

    /// Returns the indices of the messages whose identity an entry of the scope already has. A message is
    /// also considered present if its name is the id of an existing entry in the scope, because an export
    /// uses the id as the name of a message without one.
    private func present(
        _ messages: ArraySlice<PendingMessage>, _ snapshot: any StorageSnapshot
    ) async throws -> Set<Int> {
        let stored = try await snapshot.revisions(of: messages.compactMap(\.identity?.id))
        var present = Set<Int>()
        var exportedIDs: [Int: Entry.ID] = [:]
        for message in messages {
            if let id = message.identity?.id, stored[id] != nil {
                present.insert(message.index)
            } else {
                exportedIDs[message.index] = message.draft.id.flatMap { UUID(uuidString: $0) }
            }
        }
        let exported = try await snapshot.entries(Array(exportedIDs.values))
            .filter { $0.source == scope.source }
        let known = Set(exported.map(\.id))
        present.formUnion(exportedIDs.filter { known.contains($0.value) }.keys)
        return present
    }

    // MARK: Entries

    private func entry(
        of message: PendingMessage, _ identity: PendingMessage.Identity, at now: Date
    ) -> Entry {
        Entry(
            id: identity.id, content: RememberedMessage.text(message.draft), source: scope.source,
            key: identity.key, metadata: metadata(of: message),
            createdAt: message.draft.timestamp ?? now)
    }

    private func metadata(of message: PendingMessage) -> [String: MetadataValue] {
        typealias Key = RememberedMessage.Key
        let draft = message.draft
        var metadata: [String: MetadataValue] = [
            Key.kind: .string(Key.message), Key.user: .string(scope.userId),
            Key.session: .string(scope.sessionId), Key.agent: .string(scope.agentId),
            Key.role: .string(draft.role.rawValue),
        ]
        if let speaker = draft.speaker, !speaker.isEmpty { metadata[Key.speaker] = .string(speaker) }
        if let name = draft.id { metadata[Key.name] = .string(name) }
        if let title = draft.title, !title.isEmpty { metadata[Key.title] = .string(title) }
        return metadata
    }
}
