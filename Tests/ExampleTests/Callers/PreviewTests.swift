import Foundation
import Roost
import RoostConversations
import Testing

/// Tests of results that a program creates itself, for its own tests and for previews of its views.
struct PreviewTests {
    private let entry = Entry(content: "a swift over the roof")

    private var result: QueryResult {
        QueryResult(
            hits: [QueryHit(entry: entry, score: 0.8, similarity: 0.6)],
            stamp: Stamp(
                store: UUID(), epoch: UUID(), revision: .zero, entryCount: 1, clusterCount: 0),
            candidateCount: 1)
    }

    @Test func `a result of a search can be created`() {
        let hit = result.hits[0]
        #expect(hit.passage.utf8Range == 0..<21, "without a passage, the hit is the whole text")
        #expect(!result.snippet(of: hit).utf8Range.isEmpty)
        #expect(!result.hasOnlyNoise)
        #expect(result.hits.map(\.id) == [entry.id], "hits can be elements of a list view")
    }

    @Test func `a result of a recall can be created`() {
        let message = RememberedMessage(
            scope: ChatScope(userId: "ann", sessionId: "birds", agentId: "guide"), role: .user,
            content: entry.content, timestamp: Date(timeIntervalSince1970: 0))
        let recalled = RecallResult(
            recollections: [Recollection(message: message, score: 0.5, hit: result.hits[0])], search: result)
        #expect(recalled.recollections.map(\.similarity) == [0.6])
        #expect(!recalled.hasOnlyNoise)
    }

    @Test func `groups of duplicates and added entries can be created`() {
        #expect(DuplicateGroup(entries: [entry.id, UUID()], scores: [1, 0.97]).entries.count == 2)
        #expect(AddedEntry(id: entry.id, isNew: true).isUpdated == false)
    }
}
