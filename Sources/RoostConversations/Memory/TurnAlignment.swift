import Foundation
import RoostModel

/// Finds the turns of a call with which a conversation ends.
///
/// The turns so far can end before several slots if the same texts recur. The set of these slots consists of
/// bits, so a turn costs one operation per 64 slots, even if all texts are equal.
struct TurnAlignment {
    private let slots: [StoredConversation.Slot]
    /// The number of words of a set of slots, which also contains the end of the conversation.
    private let wordCount: Int
    /// The removed messages.
    private var removed: [UInt64]
    /// The slots of turns by text key and by id, and those of removed messages by text mark.
    private var texts: [String: [Int]] = [:]
    private var ids: [Entry.ID: [Int]] = [:]
    private var marks: [UInt32: [Int]] = [:]
    /// The slots that are equal to the messages with a text key, for the few texts that recur so often that a
    /// set of bits is smaller than a list.
    private var frequent: [String: [UInt64]] = [:]

    init(_ slots: [StoredConversation.Slot]) {
        self.slots = slots
        wordCount = slots.count / UInt64.bitWidth + 1
        removed = [UInt64](repeating: 0, count: wordCount)
        for (position, slot) in slots.enumerated() {
            switch slot {
            case .turn(let message):
                ids[message.id, default: []].append(position)
                for key in Set(message.textKeys) { texts[key, default: []].append(position) }
            case .removed(let mark):
                marks[mark.text, default: []].append(position)
                Self.insert(position, into: &removed)
            }
        }
    }

    /// Returns the number of turns, from the first one on, with which the conversation ends.
    ///
    /// - Complexity: O(number of turns · number of slots / 64), or O(number of turns + number of slots) if no
    ///   text recurs.
    mutating func knownCount(_ turns: ArraySlice<PendingMessage>) -> Int {
        var known = 0
        // The slots that can follow the turns so far: those turns can begin at any slot.
        var positions = [UInt64](repeating: 0, count: wordCount)
        for position in slots.indices { Self.insert(position, into: &positions) }
        for (index, turn) in turns.enumerated() {
            var next = following(turn, at: positions)
            guard next.contains(where: { $0 != 0 }) else { break }
            skipRemoved(from: &next)
            if Self.contains(slots.count, in: next) { known = index + 1 }
            positions = next
        }
        return known
    }

    /// Returns the slots after those of the given ones that are equal to a turn.
    private mutating func following(_ turn: PendingMessage, at positions: [UInt64]) -> [UInt64] {
        if turn.identity == nil, let mask = frequent[turn.textKey] {
            return Self.successors(of: mask, in: positions)
        }
        let candidates = candidates(turn)
        guard turn.identity == nil, candidates.count > wordCount else {
            var next = [UInt64](repeating: 0, count: wordCount)
            for position in candidates
            where Self.contains(position, in: positions) && turn.isEqual(to: slots[position]) {
                Self.insert(position + 1, into: &next)
            }
            return next
        }
        var mask = [UInt64](repeating: 0, count: wordCount)
        for position in candidates where turn.isEqual(to: slots[position]) {
            Self.insert(position, into: &mask)
        }
        frequent[turn.textKey] = mask
        return Self.successors(of: mask, in: positions)
    }

    /// Returns all slots that can be equal to a turn.
    private func candidates(_ turn: PendingMessage) -> [Int] {
        let removed = marks[turn.textMark] ?? []
        guard let identity = turn.identity else { return (texts[turn.textKey] ?? []) + removed }
        let named = turn.draft.id.flatMap { Entry.ID(uuidString: $0) }.flatMap { ids[$0] } ?? []
        return (ids[identity.id] ?? []) + named + removed
    }

    /// Adds the slots after removed messages, because the client may have forgotten those after a turn.
    ///
    /// The sum carries a slot at the start of a sequence of removed messages past the end of the sequence.
    private func skipRemoved(from positions: inout [UInt64]) {
        var carry: UInt64 = 0
        for word in positions.indices {
            let (sum, overflow) = (positions[word] & removed[word]).addingReportingOverflow(removed[word])
            let (total, second) = sum.addingReportingOverflow(carry)
            positions[word] |= total ^ removed[word]
            carry = overflow || second ? 1 : 0
        }
    }

    // MARK: Sets of slots

    private static func contains(_ position: Int, in set: [UInt64]) -> Bool {
        set[position / UInt64.bitWidth] & 1 << UInt64(position % UInt64.bitWidth) != 0
    }

    private static func insert(_ position: Int, into set: inout [UInt64]) {
        set[position / UInt64.bitWidth] |= 1 << UInt64(position % UInt64.bitWidth)
    }

    /// Returns the slots after those that both sets contain.
    private static func successors(of mask: [UInt64], in positions: [UInt64]) -> [UInt64] {
        var next = [UInt64](repeating: 0, count: positions.count)
        var carry: UInt64 = 0
        for word in positions.indices {
            let common = mask[word] & positions[word]
            next[word] = common << 1 | carry
            carry = common >> 63
        }
        return next
    }
}
