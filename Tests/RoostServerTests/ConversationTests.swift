import HTTPTypes
import NIOHTTP1
import Roost
import RoostModel
import Testing

@testable import RoostServer

struct ConversationTests {
    private static let path = "/api/v1/conversations"

    @Test func `conversations have pages, the one with the latest message first`() async throws {
        try await HTTPHarness.run { harness in
            for number in 1...5 {
                let body: JSONValue = [
                    "user": .string(number == 5 ? "ben" : "ann"), "session": .string("s\(number)"),
                    "agent": "a",
                    "messages": [
                        [
                            "role": "user", "content": "the swift is back",
                            "timestamp": .string("2026-01-0\(number)T10:00:00Z"),
                        ]
                    ],
                ]
                #expect(try await harness.send(.POST, Self.path + "/messages", body).status == 200)
            }
            #expect(try await harness.send(.GET, Self.path).json["count"] == 5)
            var (sessions, cursor) = ([String](), "")
            repeat {
                let page = try await harness.send(.GET, Self.path + "?user=ann&limit=3" + cursor)
                #expect(page.status == 200 && page.json["count"] == 4, "\(page.text)")
                let conversations = page.json["conversations"]?.elements ?? []
                #expect(conversations.count == (cursor.isEmpty ? 3 : 1))
                sessions += conversations.compactMap { $0["session"]?.string }
                cursor = page.json["nextCursor"]?.string.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty && sessions.count < 10
            #expect(sessions == ["s4", "s3", "s2", "s1"])
            let first = try await harness.send(.GET, Self.path + "?limit=2").json
            let next = try #require(first["nextCursor"]?.string)
            try await harness.store.add("a note")
            let expired = try await harness.send(.GET, Self.path + "?limit=2&cursor=\(next)")
            #expect(expired.status == 410)
        }
    }

    @Test func `a recall has the options of the command`() async throws {
        try await HTTPHarness.run { harness in
            let texts = [
                ("the heron stood in the water", "2026-01-01"), ("a heron again", "2026-01-02"),
                ("the bread rises", "2026-01-03"),
            ]
            let messages = texts.map { text, day -> JSONValue in
                ["role": "user", "content": .string(text), "timestamp": .string("\(day)T10:00:00Z")]
            }
            let body: JSONValue = [
                "user": "ann", "session": "s", "agent": "a", "messages": .array(messages),
            ]
            #expect(try await harness.send(.POST, Self.path + "/messages", body).status == 200)
            func recall(_ members: [String: JSONValue]) async throws -> [String] {
                let request = JSONValue.object(members.merging(["context": 0]) { $1 })
                let answer = try await harness.send(.POST, Self.path + "/recall", request)
                #expect(answer.status == 200, "\(answer.text)")
                return (answer.json["messages"]?.elements ?? []).compactMap {
                    $0["message"]?["content"]?.string
                }
            }
            #expect(try await recall(["query": "heron", "mode": "text"]).count == 2)
            #expect(try await recall(["query": "herom", "mode": "text", "exactWords": true]) == [])
            #expect(try await recall(["query": "herom", "mode": "text"]).count == 2)
            #expect(try await recall(["query": "quantum lattice"]) == [])
            #expect(try await recall(["query": "quantum lattice", "all": true]).count == 3)
            let wrong = try await harness.send(
                .POST, Self.path + "/recall", ["query": "x", "mode": "meaning"])
            #expect(wrong.status == 400)
        }
    }
}
