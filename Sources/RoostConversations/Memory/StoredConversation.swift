import Foundation
import Roost
import RoostModel

/// The messages of a scope that are stored, which determine the messages that continue the conversation.
struct StoredConversation {
    private let scope: ChatScope
    private let snapshot: any StorageSnapshot
    /// The ids of the entries, in the order in which they were added.
    private let entryIDs: [Entry.ID]
    /// The number of the next message.
    let nextNumber: Int64
    /// The marks of the messages before the next one, including those of messages that were removed, so that
    /// these are recognized.
    private let marks: [MessageMark]

    /// Reads the source record of a scope.
    ///
    /// - Complexity: O(number of the scope's messages).
    /// - Throws: `StorageError`; `CancellationError`.
    init(_ scope: ChatScope, in snapshot: any StorageSnapshot) async throws {
        (self.scope, self.snapshot) = (scope, snapshot)
        if let record = try await snapshot.sources([scope.source]).first,
            let state = ConversationState(fingerprint: record.fingerprint)
        {
            (entryIDs, nextNumber, marks) = (record.entryIDs, state.nextNumber, state.marks)
        } else {
            // The record may be missing, because an import adds entries without the source record of their
            // scope.
            let messages = try await RememberedMessage.read(
                ConversationMemory.Filter(scope).entries, from: snapshot)
            entryIDs = messages.map(\.id)
            nextNumber = Int64((messages.map(\.number).max() ?? -1) + 1)
            marks = []
        }
    }

    /// Whether messages were removed from the scope.
    var lacksMessages: Bool { entryIDs.count < nextNumber }

    /// Returns the source record of the scope after messages with the given identities were added.
    func record(adding messages: [PendingMessage], _ identities: [PendingMessage.Identity]) -> Source {
        let added = zip(messages, identities).map { MessageMark(text: $0.textMark, id: $1.id) }
        let state = ConversationState(nextNumber: nextNumber + Int64(messages.count), marks: marks + added)
        return Source(id: scope.source, fingerprint: state.fingerprint)
    }

    /// A stored message.
    struct Message {
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
            isTurn =
                PendingMessage.isTurn(message.role)
                && entry.metadata[RememberedMessage.Key.turn] != .bool(false)
            let present = PendingMessage.textKey(PendingMessage.digest(of: draft))
            textKeys = [present] + (entry.key.map { [PendingMessage.textKey(ofKey: $0)] } ?? [])
        }
    }

    // MARK: Known messages

    /// A place in the order of the conversation.
    enum Slot {
        case turn(Message)
        /// A message with this mark was removed. It may have been a turn.
        case removed(MessageMark)
    }

    /// The minimum number of turns after a summary that the conversation ends with.
    private static let minimumAfterSummary = 2

    /// Returns the messages of a call without those that the conversation already ends with: the longest
    /// sequence of turns at the start of the call that is equal to the last turns of the conversation.
    ///
    /// So a repeated call adds nothing; a client may send the whole conversation, or the last messages, each
    /// time; and a text that recurs later in the conversation is added again. Messages that were removed from
    /// the store are known at their place in the order, but a client need not send them.
    ///
    /// A client with a limited memory may begin a call with a summary of the older messages, which differs
    /// each time. If the turns after the first one are the last ones of the conversation, the first one is
    /// therefore no turn (`PendingMessage.isAside`).
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func continuation(of messages: ArraySlice<PendingMessage>) async throws -> ArraySlice<PendingMessage> {
        let turns = messages.filter { PendingMessage.isTurn($0.draft.role) }
        let instructions = try await lostInstructions(among: messages)
        let slots = try await lastSlots(turns.count, readingAll: !instructions.isEmpty)
        var alignment = TurnAlignment(slots)
        var known = turns.prefix(alignment.knownCount(turns[...]))
        var aside: Int?
        if known.isEmpty, let first = turns.first {
            let count = alignment.knownCount(turns.dropFirst())
            // Without an older message, there is nothing that the first one could summarize.
            if count >= Self.minimumAfterSummary, slots.count > count {
                (aside, known) = (first.index, turns.dropFirst().prefix(count))
            }
        }
        var indices = Set(known.map(\.index))
        // Instructions of the system have no place in the order.
        let removed = slots.compactMap { if case .removed(let mark) = $0 { mark } else { nil } }
        for message in instructions where removed.contains(where: message.isEqual(to:)) {
            indices.insert(message.index)
        }
        return messages.filter { !indices.contains($0.index) }.map { message in
            var message = message
            if message.index == aside { message.setAside(in: scope) }
            return message
        }[...]
    }

    /// Returns the instructions of the system that the conversation does not contain, although it had
    /// messages with their marks.
    private func lostInstructions(
        among messages: ArraySlice<PendingMessage>
    ) async throws -> [PendingMessage] {
        guard lacksMessages else { return [] }
        return try await lost(messages.filter { !PendingMessage.isTurn($0.draft.role) })
    }

    /// Returns those of the given messages, all with an identity, that the conversation does not contain,
    /// although it had messages with the same text.
    private func lost(_ messages: [PendingMessage]) async throws -> [PendingMessage] {
        let texts = Set(marks.map(\.text))
        let found = messages.filter { texts.contains($0.textMark) }
        let stored = Set(try await snapshot.revisions(of: found.compactMap(\.identity?.id)).keys)
        return found.filter { message in message.identity.map { !stored.contains($0.id) } ?? false }
    }

    /// Returns the last turns of the conversation, or all if it has fewer, and the removed messages between
    /// and around them.
    ///
    /// - Parameter readsAll: Whether all messages are read, so that all removed ones are found.
    private func lastSlots(_ count: Int, readingAll readsAll: Bool) async throws -> [Slot] {
        let (messages, areAll) =
            readsAll ? (try await allMessages(), true) : try await lastMessages(withTurns: count)
        let turns = messages.filter(\.isTurn).suffix(count)
        guard areAll else { return turns.map(Slot.turn) }
        let slots =
            turns.map { (number: $0.number, slot: Slot.turn($0)) }
            + removed(among: messages).map { (number: $0.number, slot: Slot.removed($0.mark)) }
        return slots.sorted { $0.number < $1.number }.map(\.slot)
    }

    /// Returns the numbers and marks of the messages that were removed, in ascending order.
    ///
    /// - Parameter messages: All messages that are left.
    private func removed(among messages: [Message]) -> [(number: Int64, mark: MessageMark)] {
        let numbers = Set(messages.map(\.number))
        let first = nextNumber - Int64(marks.count)
        return marks.enumerated().map { (number: first + Int64($0.offset), mark: $0.element) }
            .filter { !numbers.contains($0.number) }
    }

    /// Returns the messages of a call, all with an identity, without those that were removed from the store:
    /// a removed message with an equal mark is between the same messages of the conversation.
    ///
    /// - Complexity: O(number of the scope's messages); O(number of messages of the call) if none of them can
    ///   be a removed one.
    /// - Throws: `StorageError`; `CancellationError`.
    func withoutRemoved(
        _ messages: ArraySlice<PendingMessage>
    ) async throws -> ArraySlice<PendingMessage> {
        guard try await !lost(Array(messages)).isEmpty else { return messages }
        let stored = try await allMessages()
        let numbers = Dictionary(stored.map { ($0.id, $0.number) }) { first, _ in first }
        let removed = Dictionary(grouping: removed(among: stored)) { $0.mark.text }
        let known = messages.map { message in
            message.identity.flatMap { numbers[$0.id] }
                ?? message.draft.id.flatMap { UUID(uuidString: $0) }.flatMap { numbers[$0] }
        }
        // For each message, the number of the next one that is stored.
        var following = [Int64](repeating: .max, count: known.count + 1)
        for index in known.indices.reversed() { following[index] = known[index] ?? following[index + 1] }
        var (kept, last) = ([PendingMessage](), Int64(-1))
        for (index, message) in messages.enumerated() {
            if let number = known[index] {
                last = max(last, number)
            } else if let place = removed[message.textMark]?.first(where: {
                last < $0.number && $0.number < following[index] && message.isEqual(to: $0.mark)
            }) {
                last = place.number
                continue
            }
            kept.append(message)
        }
        return kept[...]
    }

    /// Returns all messages of the conversation in their order.
    private func allMessages() async throws -> [Message] {
        var messages: [Message] = []
        for try await page in snapshot.entryPages(matching: EntryFilter(sources: [scope.source])) {
            messages += page.entries.compactMap(Message.init)
        }
        return messages.sorted { $0.number < $1.number }
    }

    /// Returns the last messages of the conversation in their order, with at least the given number of turns,
    /// or all.
    ///
    /// - Returns: The messages, and whether they are all. If not, none of the messages after the first one of
    ///   them was removed.
    /// - Complexity: O(count) if the last messages are also the last entries; otherwise, all are read.
    private func lastMessages(withTurns count: Int) async throws -> ([Message], areAll: Bool) {
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
            return (try await allMessages(), true)
        }
        return (messages.sorted { $0.number < $1.number }, remaining.isEmpty)
    }

    // MARK: Identities

    /// Returns the identities of the messages to add. Those without one get free numbers among the equal
    /// texts of the conversation.
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
                    let occurrence =
                        occurrences[message.digest] ?? freeOccurrence(of: message.digest, taken)
                    occurrences[message.digest] = occurrence + 1
                    let candidate = candidate(message.digest, occurrence)
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

    private func candidate(_ digest: ContentDigest, _ occurrence: Int) -> PendingMessage.Identity {
        PendingMessage.Identity(EntryID.contentKey(digest, occurrence: occurrence), in: scope)
    }

    /// Returns a number that is free among the equal texts and follows one that is taken, or 0.
    ///
    /// The taken numbers are usually those from 0 on, so the search doubles the number and then bisects. It
    /// would otherwise compute as many ids as the conversation has equal texts, for each message.
    private func freeOccurrence(of digest: ContentDigest, _ taken: Set<Entry.ID>) -> Int {
        func isTaken(_ occurrence: Int) -> Bool { taken.contains(candidate(digest, occurrence).id) }
        guard isTaken(0) else { return 0 }
        var (last, free) = (0, 1)
        while isTaken(free) { (last, free) = (free, 2 * free) }
        while free - last > 1 {
            let middle = last + (free - last) / 2
            if isTaken(middle) { last = middle } else { free = middle }
        }
        return free
    }
}
