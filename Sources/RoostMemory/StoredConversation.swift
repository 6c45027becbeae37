import Roost
import RoostConversations
import RoostModel

/// The messages of a scope that are stored, which determine the messages that continue the conversation.
struct StoredConversation {
    private let scope: ChatScope
    private let snapshot: any StorageSnapshot
    /// The ids of the entries, in the order in which they were added.
    private let entryIDs: [Entry.ID]
    /// The number of the next message.
    let nextNumber: Int64

    /// The prefix of the fingerprint in a scope's source record. It is followed by the number of the next
    /// message.
    private static let fingerprintPrefix = "chat:"

    /// Reads the source record of a scope.
    ///
    /// - Complexity: O(number of the scope's messages).
    /// - Throws: `StorageError`; `CancellationError`.
    init(_ scope: ChatScope, in snapshot: any StorageSnapshot) async throws {
        (self.scope, self.snapshot) = (scope, snapshot)
        if let record = try await snapshot.sources([scope.source]).first,
            record.fingerprint.hasPrefix(Self.fingerprintPrefix),
            let next = Int64(record.fingerprint.dropFirst(Self.fingerprintPrefix.count)),
            (0...RememberedMessage.maximumNumber).contains(next)
        {
            (entryIDs, nextNumber) = (record.entryIDs, next)
        } else {
            // The record may be missing, because an import adds entries without the source record of their
            // scope.
            let messages = try await RememberedMessage.read(
                ConversationMemory.Filter(scope).entries, from: snapshot)
            entryIDs = messages.map(\.id)
            nextNumber = Int64((messages.map(\.number).max() ?? -1) + 1)
        }
    }

    /// Returns the source record of the scope with the number of the next message.
    static func record(of scope: ChatScope, nextNumber: Int64) -> Source {
        Source(id: scope.source, fingerprint: "\(fingerprintPrefix)\(nextNumber)")
    }

    /// A stored message.
    private struct Message {
        let id: Entry.ID
        let number: Int64
        let isTurn: Bool
        /// The text keys of the present text and of the one with which the message was remembered, because it
        /// may have been edited.
        let textKeys: [String]

        /// Returns `nil` if the entry is not a message.
        init?(_ entry: Entry) {
            guard let message = RememberedMessage(entry) else { return nil }
            let draft = MessageDraft(role: message.role, speaker: message.speaker, content: message.content)
            (id, number) = (message.id, Int64(message.number))
            isTurn = PendingMessage.isTurn(message.role)
            let present = PendingMessage.textKey(PendingMessage.digest(of: draft))
            textKeys = [present] + (entry.key.map { [PendingMessage.textKey(ofKey: $0)] } ?? [])
        }
    }

    /// Returns the messages of a call without those that the conversation already ends with: the longest
    /// sequence of turns at the start of the call that is equal to the last turns of the conversation.
    ///
    /// So a repeated call adds nothing; a client may send the whole conversation, or the last messages, each
    /// time; and a text that recurs later in the conversation is added again.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func continuation(of messages: ArraySlice<PendingMessage>) async throws -> ArraySlice<PendingMessage> {
        let turns = messages.filter { PendingMessage.isTurn($0.draft.role) }
        let stored = try await lastTurns(turns.count)
        let count = (0...stored.count).last { count in
            zip(stored.suffix(count), turns).allSatisfy { $1.isEqual(toID: $0.id, textKeys: $0.textKeys) }
        }
        let known = Set(turns.prefix(count ?? 0).map(\.index))
        return messages.filter { !known.contains($0.index) }[...]
    }

    /// Returns the last turns of the conversation, or all if it has fewer.
    ///
    /// - Complexity: O(count) if the last messages are also the last entries; otherwise, all are read.
    private func lastTurns(_ count: Int) async throws -> [Message] {
        var (messages, turnCount) = ([Message](), 0)
        var remaining = entryIDs[...]
        while turnCount < count, !remaining.isEmpty {
            let page = remaining.suffix(count)
            remaining = remaining.dropLast(page.count)
            let read = try await snapshot.entries(Array(page)).compactMap(Message.init)
            turnCount += read.count { $0.isTurn }
            messages += read
        }
        // Entries that an undo has restored are the last ones, but their messages keep their numbers.
        let last = nextNumber - Int64(messages.count)..<nextNumber
        if !remaining.isEmpty, Set(messages.map(\.number)) != Set(last) {
            messages = []
            for try await page in snapshot.entryPages(matching: EntryFilter(sources: [scope.source])) {
                messages += page.entries.compactMap(Message.init)
            }
        }
        return messages.filter(\.isTurn).sorted { $0.number < $1.number }.suffix(count)
    }

    /// Returns the identities of the messages to add. Those without one get the next free number among the
    /// equal texts of the conversation.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func identities(of messages: [PendingMessage]) async throws -> [PendingMessage.Identity] {
        guard messages.contains(where: { $0.identity == nil }) else { return messages.compactMap(\.identity) }
        var taken = Set(entryIDs)
        while true {
            var (identities, free) = ([PendingMessage.Identity](), Set<Entry.ID>())
            var occurrences: [ContentDigest: Int] = [:]
            for message in messages {
                var identity = message.identity
                while identity == nil {
                    let key = EntryID.contentKey(
                        message.digest, occurrence: occurrences[message.digest, default: 0])
                    occurrences[message.digest, default: 0] += 1
                    let candidate = PendingMessage.Identity(key, in: scope)
                    guard !taken.contains(candidate.id) else { continue }
                    identity = candidate
                    free.insert(candidate.id)
                }
                if let identity { identities.append(identity) }
            }
            // A message whose source was changed has left the scope, but not its id.
            let others = Set(try await snapshot.revisions(of: Array(free)).keys)
            guard !others.isEmpty else { return identities }
            taken.formUnion(others)
        }
    }
}
