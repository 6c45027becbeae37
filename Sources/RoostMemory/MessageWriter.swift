import Foundation
import Roost
import RoostConversations
import RoostModel

/// Adds messages to a conversation.
struct MessageWriter: Sendable {
    let store: KnowledgeStore
    let scope: ChatScope

    /// The prefix of the fingerprint in a scope's source record. It is followed by the number of the next
    /// message.
    private static let fingerprintPrefix = "chat:"

    /// See ``ConversationMemory/remember(_:in:batchSize:)``.
    func write(_ drafts: [MessageDraft], batchSize: Int?) async throws -> ConversationMemory.Report {
        var report = ConversationMemory.Report()
        // Computes the ids of all drafts before they are divided into batches. The id of a repeated draft
        // depends on the number of equal drafts before it, and must not depend on the division.
        let entries = try entries(of: drafts)
        report.known = drafts.count - entries.count
        let size = max(1, batchSize ?? entries.count)
        for start in stride(from: 0, to: entries.count, by: size) {
            try Task.checkCancellation()
            let new = try await write(Array(entries[start..<min(entries.count, start + size)]))
            report.new += new
            report.known += min(entries.count, start + size) - start - new
        }
        return report
    }

    /// Writes the entries of one commit.
    ///
    /// - Returns: The number of new entries.
    private func write(_ given: [Entry]) async throws -> Int {
        let present = try await present(given)
        var entries = given.filter { !present.contains($0.id) }
        guard !entries.isEmpty else { return 0 }
        // A message that is empty or contains only white space is not embedded, but it is part of the
        // conversation.
        let worded = entries.filter { !$0.content.allSatisfy(\.isWhitespace) }
        var embedding = IngestReport()
        let embedded = try await store.entryEmbedder.embed(
            worded, reusing: try await store.storage.snapshot(), &embedding)
        let vectors = Dictionary(embedded.map { ($0.id, $0) }) { first, _ in first }
        entries = entries.map { vectors[$0.id] ?? $0 }
        return try await commit(entries)
    }

    /// Returns the ids of the entries that the scope already contains. An entry is also considered present if
    /// the name of its message is the id of an existing entry in the scope, because an export uses the id as
    /// the name of a message without one.
    private func present(_ entries: [Entry]) async throws -> Set<Entry.ID> {
        let snapshot = try await store.storage.snapshot()
        var present = Set(try await snapshot.entries(entries.map(\.id)).map(\.id))
        var exportedIDs: [Entry.ID: Entry.ID] = [:]
        for entry in entries where !present.contains(entry.id) {
            guard case .string(let name)? = entry.metadata[RememberedMessage.Key.name] else { continue }
            exportedIDs[entry.id] = UUID(uuidString: name)
        }
        let exported = try await snapshot.entries(Array(exportedIDs.values))
            .filter { $0.source == scope.source }
        let known = Set(exported.map(\.id))
        present.formUnion(exportedIDs.filter { known.contains($0.value) }.keys)
        return present
    }

    /// Commits entries with consecutive numbers, except those that another process has already added.
    ///
    /// - Returns: The number of entries that were added.
    private func commit(_ entries: [Entry]) async throws -> Int {
        var placement = BatchPlacement(of: store)
        return try await ConflictRetry.standard.run {
            let snapshot = try await store.storage.snapshot()
            let present = Set(try await snapshot.entries(entries.map(\.id)).map(\.id))
            let missing = entries.filter { !present.contains($0.id) }
            guard !missing.isEmpty else { return 0 }
            let first = try await nextNumber(snapshot)
            var batch = WriteBatch()
            for (offset, entry) in missing.enumerated() {
                var entry = entry
                entry.metadata[RememberedMessage.Key.number] = .integer(first + Int64(offset))
                batch.upserts.append(entry)
                batch.expecting.entries[entry.id] = .zero
            }
            let next = first + Int64(missing.count)
            batch.sources = [Source(id: scope.source, fingerprint: "\(Self.fingerprintPrefix)\(next)")]
            // Requires that the store has not changed, because another commit may have used the same numbers.
            batch.expecting.epoch = snapshot.stamp.epoch
            batch.expecting.revision = snapshot.stamp.revision
            try await placement.assign(Set(missing.map(\.id)), in: &batch, snapshot)
            placement.committed(batch, at: try await store.storage.commit(batch))
            return missing.count
        }
    }

    /// Returns the number of the scope's next message.
    private func nextNumber(_ snapshot: any StorageSnapshot) async throws -> Int64 {
        let record = try await snapshot.sources([scope.source]).first
        if let record, record.fingerprint.hasPrefix(Self.fingerprintPrefix),
            let next = Int64(record.fingerprint.dropFirst(Self.fingerprintPrefix.count)),
            (0...RememberedMessage.maximumNumber).contains(next)
        {
            return next
        }
        // The record may be missing, because an import adds entries without the source record of their scope.
        let filter = ConversationMemory.Filter(scope).entries
        let last = try await RememberedMessage.read(filter, from: snapshot).map(\.number).max()
        return Int64((last ?? -1) + 1)
    }

    // MARK: Entries

    /// Returns the id of the entry for a message with the given name.
    static func entryID(named name: String, in scope: ChatScope) -> Entry.ID {
        EntryID.derived(source: scope.source, key: key(named: name))
    }

    private static func key(named name: String) -> String { "message:\(name)" }

    /// Returns one entry for each draft, without repetitions.
    private func entries(of drafts: [MessageDraft]) throws -> [Entry] {
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
                // Includes the length of each part, so the parts of different messages cannot produce the
                // same concatenated string.
                let digest = ContentDigest(of: parts.map { "\($0.utf8.count):\($0)" }.joined())
                key = EntryID.contentKey(digest, occurrence: occurrences[digest, default: 0])
                occurrences[digest, default: 0] += 1
            }
            let id = EntryID.derived(source: scope.source, key: key)
            guard seen.insert(id).inserted else { continue }
            let date = draft.timestamp ?? now
            guard date.isWritable else {
                throw RoostError(
                    .badInput, "cannot remember a message: its time is outside the years 1 to 9999")
            }
            entries.append(
                Entry(
                    id: id, content: RememberedMessage.text(draft), source: scope.source, key: key,
                    metadata: metadata(of: draft), createdAt: date))
        }
        return entries
    }

    private func metadata(of draft: MessageDraft) -> [String: MetadataValue] {
        typealias Key = RememberedMessage.Key
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
