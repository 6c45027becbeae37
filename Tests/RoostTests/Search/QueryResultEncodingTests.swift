import Foundation
import Roost
import Testing

/// Tests of the JSON form of search results.
@Suite struct QueryResultEncodingTests {
    private func result(_ search: EntrySearch) async throws -> QueryResult {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let drafts = ["# Kestrels\n\nA kestrel hovers over the field.", "Bread is baked in the morning."].map
        {
            EntryDraft(content: $0, metadata: ["year": 2020], tags: ["bird"])
        }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        return try await store.search(search)
    }

    private func object(_ value: some Encodable) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(value))
        return try #require(json as? [String: Any])
    }

    @Test func `a hit is encoded with its entry, passage and explanation, but without vectors`() async throws
    {
        let hit = try #require(try await result("kestrel").hits.first)
        let json = try object(hit)
        #expect(
            Set(json.keys) == [
                "rank", "id", "score", "similarity", "title", "location", "content", "metadata",
                "tags", "source", "passage", "explanation", "duplicates", "createdAt", "updatedAt",
            ])
        #expect(json["id"] as? String == hit.id.uuidString.lowercased())
        #expect(json["rank"] as? Int == 1)
        #expect(json["title"] as? String == "Kestrels")
        #expect(json["content"] as? String == hit.entry.content)
        #expect((json["metadata"] as? [String: Any])?["year"] as? Int == 2020)
        let passage = try #require(json["passage"] as? [String: Any])
        #expect(passage["range"] as? [Int] == [0, hit.entry.content.utf8.count])
        let explanation = try #require(json["explanation"] as? [String: Any])
        let shares = try #require(explanation["shares"] as? [String: Any])
        #expect(Set(shares.keys) == ["passage", "entry", "words", "fields", "phrase"])
    }

    @Test func `a result is encoded with the excerpts of its hits`() async throws {
        let found = try await result("kestrel")
        let json = try object(found)
        let hits = try #require(json["hits"] as? [[String: Any]])
        #expect(hits.count == found.hits.count)
        let snippet = try #require(hits.first?["snippet"] as? [String: Any])
        let (text, marks) = (snippet["text"] as? String, snippet["marks"] as? [[Int]])
        let mark = try #require(marks?.last)
        let word = try #require(text?.utf8.dropFirst(mark[0]).prefix(mark[1] - mark[0]))
        #expect(String(Substring(word)).lowercased().hasPrefix("kestrel"))
        #expect((json["nearest"] as? [Any])?.isEmpty == true)
        #expect(json["candidateCount"] as? Int == 2)
        #expect((json["stamp"] as? [String: Any])?["entryCount"] as? Int == 2)
    }

    @Test func `corrections, notices and the nearest entries are encoded`() async throws {
        var found = try await result("kestrol")
        #expect((try object(found)["corrections"] as? [[String: Any]])?.first?["corrected"] as? String != nil)
        found.notices = [SearchNotice("slow", remedy: .rebuildIndex), SearchNotice("odd")]
        (found.nearest, found.hits) = (found.hits, [])
        let json = try object(found)
        #expect((json["hits"] as? [Any])?.isEmpty == true)
        #expect((json["nearest"] as? [[String: Any]])?.first?["snippet"] != nil)
        let notices = try #require(json["notices"] as? [[String: String]])
        #expect(notices == [["message": "slow", "remedy": "rebuildIndex"], ["message": "odd"]])
    }
}
