import Foundation
import NIOHTTP1
import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Tests of tags and dates in requests.
struct TagTests {
    @Test func `entries are selected by nested tags in any case`() async throws {
        try await HTTPHarness.run { harness in
            for (text, tag) in [("mint", "Garden/Herbs"), ("spade", "garden"), ("paper", "gardens")] {
                let created = try await harness.send(
                    .POST, "/api/v1/entries", ["text": .string(text), "tags": [.string(tag)]])
                #expect(created.status == 201)
            }
            let listed = try await harness.send(.GET, "/api/v1/entries?tags=GARDEN")
            #expect(listed.json["entries"]?.elements?.count == 2)
            let all = try await harness.send(.GET, "/api/v1/entries?where=created%3E%3D2020&since=2020-01-01")
            #expect(all.json["entries"]?.elements?.count == 3)
            let none = try await harness.send(.GET, "/api/v1/entries?where=created%3C2020")
            #expect(none.json["entries"]?.elements?.isEmpty == true)
        }
    }

    @Test func `tags with control characters are refused`() async throws {
        try await HTTPHarness.run { harness in
            for tag in ["a\nb", " ", "\u{7}"] {
                let tags: JSONValue = [.string(tag)]
                let created = try await harness.send(
                    .POST, "/api/v1/entries", ["text": "x", "tags": tags])
                #expect(created.status == 400)
            }
            let created = try await harness.send(
                .POST, "/api/v1/entries", ["text": "x", "tags": ["two  words", "Two words"]])
            let location = try #require(created.headers["Location"].first)
            #expect(try await harness.send(.GET, location).json["tags"] == ["two words"])
            #expect(try await harness.send(.PATCH, location, ["addTags": ["a\nb"]]).status == 400)
            let changed = try await harness.send(.PATCH, location, ["removeTags": ["TWO WORDS"]])
            #expect(changed.json["tags"] == [])
        }
    }
}
