import Foundation
import Roost
import RoostConversations
import RoostModel
import RoostTestKit
import RoostVectors
import TestSupport
import Testing

/// Tests of the messages around recalled messages, for different orders of the stored rows.
@Suite(.temporaryFolders) struct RecallContextTests {
    private static let words = ["heron", "garden", "bread", "choir", "hull", "swift", "river", "lamp"]

    private struct Position: Hashable {
        var source: String
        var number: Int
    }

    /// Returns the entries of three conversations, in the order in which they were remembered.
    private func entries(_ generator: inout SeededGenerator) async throws -> [Entry] {
        let memory = ConversationMemory(
            KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
        for step in 0..<24 {
            let session = Int.random(in: 0..<3, using: &generator)
            let drafts = (0...Int.random(in: 0..<4, using: &generator)).map { number in
                let text = (0..<4).map { _ in Self.words.randomElement(using: &generator) ?? "" }
                return MessageDraft(
                    id: "\(step)-\(number)", role: .user, content: text.joined(separator: " "))
            }
            try await memory.remember(
                drafts, in: ChatScope(userId: "u", sessionId: "\(session)", agentId: "a"))
        }
        var entries: [Entry] = []
        for try await page in try await memory.store.storage.snapshot().entryPages() {
            entries += page.entries
        }
        return entries
    }

    private enum Order: CaseIterable {
        case remembered, reversed, shuffled
    }

    @Test(arguments: [StoreManifest.Provider.sqlite, .json])
    private func `the context is complete in every order of rows, and with removed messages`(
        provider: StoreManifest.Provider
    ) async throws {
        var generator = SeededGenerator(seed: 5)
        for order in Order.allCases {
            var stored = try await entries(&generator)
            switch order {
            case .remembered: break
            case .reversed: stored.reverse()
            case .shuffled: stored.shuffle(using: &generator)
            }
            let store = try await KnowledgeStore.create(
                at: TemporaryFolder.unusedURL(), provider: provider, embedder: LexicalEmbedder())
            for entry in stored { try await store.storage.saveEntries([entry]) }
            for entry in stored.prefix(stored.count / 6) { try await store.storage.deleteEntry(entry.id) }
            try await check(ConversationMemory(store), &generator)
            try await store.close()
        }
    }

    /// Compares the context of recalled messages with the one that the list of all messages shows.
    private func check(_ memory: ConversationMemory, _ generator: inout SeededGenerator) async throws {
        let all = try await memory.messages()
        let known = Dictionary(uniqueKeysWithValues: all.map { (position(of: $0), $0) })
        #expect(known.count > 20)
        for distance in [1, 2, 5] {
            let query = Self.words.randomElement(using: &generator) ?? ""
            var options = RecallOptions(limit: 4, context: distance)
            options.includesAll = true
            let found = try await memory.recall(query, in: .all, options)
            var used = Set(found.map { position(of: $0.message) })
            for recollection in found {
                let center = position(of: recollection.message)
                func expected(_ distances: ClosedRange<Int>) -> [RememberedMessage] {
                    distances.compactMap { distance in
                        let other = Position(source: center.source, number: center.number + distance)
                        return known[other].flatMap { used.insert(other).inserted ? $0 : nil }
                    }
                }
                #expect(recollection.before == expected(-distance ... -1))
                #expect(recollection.after == expected(1...distance))
            }
            #expect(found.count == 4)
        }
    }

    private func position(of message: RememberedMessage) -> Position {
        Position(source: message.scope.source, number: message.number)
    }
}
