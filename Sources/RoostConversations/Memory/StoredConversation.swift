import Foundation
import Roost
import RoostModel

/// The messages of a scope that are stored, which determine the messages that continue the conversation.
struct StoredConversation {
    private let scope: ChatScope
    private let snapshot: any StorageSnapshot
    /// The ids of the entries, in the order in which they were added.
    private let entryIDs: [Entry.ID]
    let nextNumber: Int64
    /// The marks of the messages before the next one, including those of messages that were removed, so that
    /// these are recognized.
    private let marks: [MessageMark]

    /// Reads the source record of a scope.
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

    func record(adding messages: [PendingMessage], _ identities: [PendingMessage.Identity]) -> Source {
        let added = zip(messages, identities).map { MessageMark(text: $0.textMark, id: $1.id) }
        let state = ConversationState(nextNumber: nextNumber + Int64(messages.count), marks: marks + added)
        return Source(id: scope.source, fingerprint: state.fingerprint)
    }

    struct Message {
        let id: Entry.ID
        let number: Int64
        let isTurn: Bool
        /// The text keys of the present text and of the one with which the message was remembered, because it
        /// may have been edited.
        let textKeys: [String]

        init?(_ entry: Entry) {
            guard let message = RememberedMessage(entry) else { return nil }
            let draft = MessageDraft(role: message.role, speaker: message.speaker, content: message.content)
            (id, number) = (message.id, Int64(message.number))
            isTurn = PendingMessage.isTurn(message.role)
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

    /// Returns the messages of a call without those that the conversation had: the longest sequence of turns at
    /// the start of the call that is equal to the last turns of the conversation, and removed messages with an
    /// identity.
    ///
    /// So a repeated call adds nothing; a client may send the whole conversation, or the last messages, each
    /// time; and a text that recurs later in the conversation is added again. Messages that were removed from
    /// the store are known at their place in the order, but a client need not send them.
    func continuation(of messages: ArraySlice<PendingMessage>) async throws -> ArraySlice<PendingMessage> {
        let marks = Dictionary(grouping: marks, by: \.text)
        let unknown = messages.filter { message in
            message.identity == nil || !(marks[message.textMark] ?? []).contains(where: message.isEqual(to:))
        }
        guard messages.contains(where: { $0.identity == nil }) else { return unknown[...] }
        let turns = messages.filter { PendingMessage.isTurn($0.draft.role) }
        let count = Self.knownCount(turns, atEndOf: try await lastSlots(turns.count))
        let known = Set(turns.prefix(count).map(\.index))
        return unknown.filter { !known.contains($0.index) }[...]
    }

    /// Returns the number of turns, from the first one on, with which a conversation ends.
    static func knownCount(_ turns: [PendingMessage], atEndOf slots: [Slot]) -> Int {
        var known = 0
        // The slots that can follow the turns so far, in ascending order: those turns can begin at any slot.
        var positions = Array(slots.indices)
        for (index, turn) in turns.enumerated() {
            var next: [Int] = []
            for position in positions where position < slots.count && turn.isEqual(to: slots[position]) {
                var following = position + 1
                if following > next.last ?? 0 { next.append(following) }
                // The client may have forgotten the removed messages after a turn.
                while following < slots.count, case .removed = slots[following] {
                    following += 1
                    if following > next.last ?? 0 { next.append(following) }
                }
            }
            guard let last = next.last else { break }
            if last == slots.count { known = index + 1 }
            positions = next
        }
        return known
    }

    /// Returns the last turns of the conversation, at least the given number or all, and the removed messages
    /// between and around them.
    private func lastSlots(_ count: Int) async throws -> [Slot] {
        var (messages, turnCount) = ([Message](), 0)
        var remaining = entryIDs[...]
        while turnCount < count, !remaining.isEmpty {
            let page = remaining.suffix(count)
            remaining = remaining.dropLast(page.count)
            let read = try await snapshot.entries(Array(page)).compactMap(Message.init)
            turnCount += read.count { $0.isTurn }
            messages += read
        }
        var first = remaining.isEmpty ? 0 : nextNumber - Int64(messages.count)
        // Messages may have been removed. Entries that an undo has restored are the last ones, but their
        // messages keep their numbers.
        if !remaining.isEmpty, Set(messages.map(\.number)) != Set(first..<nextNumber) {
            (messages, first) = ([], 0)
            for try await page in snapshot.entryPages(matching: EntryFilter(sources: [scope.source])) {
                messages += page.entries.compactMap(Message.init)
            }
        }
        let numbers = Set(messages.map(\.number))
        let removed = marks.enumerated()
            .map { (number: nextNumber - Int64(marks.count - $0.offset), slot: Slot.removed($0.element)) }
            .filter { $0.number >= first && !numbers.contains($0.number) }
        let turns = messages.filter(\.isTurn).map { (number: $0.number, slot: Slot.turn($0)) }
        return (turns + removed).sorted { $0.number < $1.number }.map(\.slot)
    }

    // MARK: Identities

    /// Returns the identities of the messages to add. Those without one get free numbers among the equal
    /// texts of the conversation.
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
