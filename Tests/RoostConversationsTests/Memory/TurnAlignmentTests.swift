import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostConversations

/// Tests that the turns with which a conversation ends are found, compared with a search of all alignments.
struct TurnAlignmentTests {
    private let scope = ChatScope(userId: "u", sessionId: "s", agentId: "a")

    private func pending(_ texts: [String]) -> [PendingMessage] {
        let drafts = texts.map { MessageDraft(role: .user, content: $0) }
        return PendingMessage.list(drafts, in: scope, isComplete: false)
    }

    private func turn(
        _ number: Int, _ text: String, originally original: String? = nil
    ) throws -> StoredConversation.Slot {
        let digest = PendingMessage.digest(of: MessageDraft(role: .user, content: original ?? text))
        let entry = Entry(
            id: UUID(), content: text, source: scope.source,
            key: EntryID.contentKey(digest, occurrence: number),
            metadata: [
                "kind": "message", "user": "u", "session": "s", "agent": "a", "role": "user",
                "number": .integer(Int64(number)),
            ])
        return .turn(try #require(StoredConversation.Message(entry)))
    }

    private func removed(_ text: String) -> StoredConversation.Slot {
        let draft = MessageDraft(role: .user, content: text)
        return .removed(MessageMark(text: PendingMessage.textMark(of: draft), id: UUID()))
    }

    /// Returns whether the slots from a position on are equal to the turns, apart from removed messages after a turn.
    private func ends(
        _ slots: ArraySlice<StoredConversation.Slot>, with turns: ArraySlice<PendingMessage>
    ) -> Bool {
        guard let turn = turns.first else {
            return slots.allSatisfy { if case .removed = $0 { true } else { false } }
        }
        guard let slot = slots.first, turn.isEqual(to: slot) else { return false }
        var rest = slots.dropFirst()
        while true {
            if ends(rest, with: turns.dropFirst()) { return true }
            guard case .removed? = rest.first else { return false }
            rest = rest.dropFirst()
        }
    }

    @Test func `all alignments of recurring texts and removed messages are found`() throws {
        var generator = Seeded(state: 7)
        let texts = ["ok", "yes", "go on"]
        for trial in 0..<400 {
            let count = Int.random(in: 0..<(trial % 4 == 0 ? 150 : 12), using: &generator)
            let alphabet = texts.prefix(1 + trial % 3)
            let slots = try (0..<count).map { number in
                let text = alphabet.randomElement(using: &generator) ?? ""
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1: return removed(text)
                case 2:
                    let original = alphabet.randomElement(using: &generator)
                    return try turn(number, text, originally: original)
                default: return try turn(number, text)
                }
            }
            let length = Int.random(in: 0..<8, using: &generator)
            let turns = pending((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "" })
            let expected = (0...turns.count).last { count in
                count == 0 || slots.indices.contains { ends(slots[$0...], with: turns[..<count]) }
            }
            #expect(StoredConversation.knownCount(turns, atEndOf: slots) == expected, "trial \(trial)")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `many equal turns are compared in bounded time`() throws {
        let count = 1_000
        let slots = [StoredConversation.Slot](repeating: try turn(0, "ok"), count: count)
        let turns = [PendingMessage](repeating: pending(["ok"])[0], count: count)
        #expect(StoredConversation.knownCount(turns, atEndOf: slots) == count)
        #expect(StoredConversation.knownCount(turns + pending(["new"]), atEndOf: slots) == count)
    }
}
