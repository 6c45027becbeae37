import Foundation
import Roost
import RoostModel
import Testing

@testable import RoostConversations

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
