import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostVectors
import TestSupport
import Testing

@testable import RoostConversations

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

/// Tests of the shares of a recollection's score.
struct RecallExplanationTests {
    private func sum(_ explanation: RecallExplanation) -> Float {
        let message = explanation.message
        return message.passage + message.entry + message.words + message.phrase
            + message.fields.values.reduce(0, +) + explanation.neighbors + explanation.time
    }

    @Test func `the shares add up to the score, with those of neighbors and times`() async throws {
        let memory = ConversationMemory(
            KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let texts = [
            "where does the heron stand", "it stands in the water", "the bread rises in the kitchen",
            "a heron is a large bird", "yes",
        ]
        try await memory.remember(
            texts.enumerated().map { index, text in
                MessageDraft(role: .user, content: text, timestamp: start + Double(index) * 86_400)
            }, in: ChatScope(userId: "u", sessionId: "s", agentId: "a"))
        var options = RecallOptions(limit: 5, context: 0)
        options.timeZone = .gmt
        options.includesAll = true
        let found = try await memory.recall("the heron on 17 November 2023", options)
        try #require(!found.isEmpty)
        for recollection in found {
            #expect(abs(sum(recollection.explanation) - recollection.score) < 1e-5, "\(recollection)")
        }
        let answer = try #require(found.first { $0.message.content == "it stands in the water" })
        #expect(answer.explanation.neighbors > 0 && answer.explanation.time == 0)
        let yesterday = try #require(found.first { $0.message.content == "a heron is a large bird" })
        #expect(yesterday.explanation.time > 0 && yesterday.explanation.message.words > 0)

        let plain = try await memory.recall("the heron", options)
        #expect(plain.allSatisfy { $0.explanation.time == 0 })
        #expect(plain.allSatisfy { abs(sum($0.explanation) - $0.score) < 1e-5 })
    }
}

struct NamedDatesTests {
    @Test func `of equal messages, only those from the date that a question names are returned`()
        async throws
    {
        let memory = ConversationMemory(
            KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        // The same text on every day of almost two years.
        let daily = (0..<700).map { day in
            MessageDraft(
                role: .user, content: "we walked by the river", timestamp: start + Double(day) * 86_400)
        }
        try await memory.remember(daily, in: ChatScope(userId: "u", sessionId: "s", agentId: "a"))
        var options = RecallOptions(limit: 3, context: 0)
        options.timeZone = .gmt
        let then = try await memory.recall("Where did we walk on 3 March 2024?", options)
        try #require(then.count == 1)
        #expect(DateText.string(from: then[0].message.timestamp).hasPrefix("2024-03-03"))
        // The filter applies as well.
        let filtered = try await memory.recall(
            "Where did we walk on 3 March 2024?", in: .init(until: start + 10 * 86_400), options)
        #expect(filtered.isEmpty)
    }
}
