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

    /// A message that is a turn of the conversation.
    private struct Turn {
        let id: Entry.ID
        let digest: ContentDigest

        init(_ message: RememberedMessage) {
            id = message.id
            digest = PendingMessage.digest(
                of: MessageDraft(role: message.role, speaker: message.speaker, content: message.content))
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
            zip(stored.suffix(count), turns).allSatisfy { $1.isEqual(toID: $0.id, digest: $0.digest) }
        }
        let known = Set(turns.prefix(count ?? 0).map(\.index))
        return messages.filter { !known.contains($0.index) }[...]
    }

    /// Returns the last turns of the conversation, or all if it has fewer.
    private func lastTurns(_ count: Int) async throws -> [Turn] {
        var turns: [Turn] = []
        var remaining = entryIDs[...]
        while turns.count < count, !remaining.isEmpty {
            let page = remaining.suffix(count)
            remaining = remaining.dropLast(page.count)
            let messages = try await snapshot.entries(Array(page)).compactMap(RememberedMessage.init)
                .filter { PendingMessage.isTurn($0.role) }.sorted { $0.number < $1.number }
            turns = messages.map(Turn.init) + turns
        }
        return turns.suffix(count)
    }

    /// Returns the identities of the messages to add. Those without one get the next free number
    /// among the equal texts of the conversation.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func identities(of messages: [PendingMessage]) async throws -> [PendingMessage.Identity] {
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
