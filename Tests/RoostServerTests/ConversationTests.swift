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
}
