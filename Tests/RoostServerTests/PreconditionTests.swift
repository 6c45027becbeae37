import Foundation
import NIOHTTP1
import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Tests of conditional requests (RFC 9110, section 13) and of protected metadata.
struct PreconditionTests {
    @Test(arguments: [
        ("*", 200), ("TAG", 200), ("W/TAG", 412), ("\"none\"", 412), ("5", 412),
    ]) func `a change is made if the tag matches`(field: String, status: Int) async throws {
        try await HTTPHarness.run { harness in
            let created = try await harness.send(.POST, "/api/v1/entries", ["text": "a note"])
            let location = try #require(created.headers["Location"].first)
            let tag = try #require(try await harness.send(.GET, location).headers["ETag"].first)
            let condition = ["If-Match": field.replacing("TAG", with: tag)]
            // The entry is named by its id or its address.
            let address = location.replacing("/entries/", with: "/entries/roost:%2F%2Fentry%2F")
            let changed = try await harness.send(.PATCH, address, ["addTags": ["x"]], condition)
            #expect(changed.status == status, "\(changed.text)")
            #expect((changed.json["tags"] == ["x"]) == (status == 200))
            // The tag is an old one after a change.
            let removed = try await harness.send(.DELETE, location, nil, ["If-Match": tag])
            #expect(removed.status == (status == 200 ? 412 : 200))
        }
    }

    @Test func `no condition matches a missing entry`() async throws {
        try await HTTPHarness.run { harness async throws in
            let path = "/api/v1/entries/\(UUID().uuidString)"
            for field in ["*", "\"1\""] {
                let condition = ["If-Match": field]
                #expect(try await harness.send(.DELETE, path, nil, condition).status == 412)
                #expect(
                    try await harness.send(.PATCH, path, ["addTags": ["x"]], condition).status == 412)
            }
        }
    }

    @Test func `a request cannot turn an entry into a message`() async throws {
        try await HTTPHarness.run { harness in
            let metadata: JSONValue = ["kind": "message"]
            let created = try await harness.send(
                .POST, "/api/v1/entries", ["text": "a note", "metadata": metadata])
            #expect(created.status == 400)
            #expect(created.json["detail"]?.string?.contains("'kind=message'") == true)
            let entry = try await harness.send(.POST, "/api/v1/entries", ["text": "a note"])
            let location = try #require(entry.headers["Location"].first)
            #expect(try await harness.send(.PATCH, location, ["metadata": metadata]).status == 400)
            #expect(try await harness.send(.PATCH, location, ["metadata": ["role": "x"]]).status == 200)
            let line = Data(#"{"content":"another","metadata":{"kind":"message"}}"#.utf8)
            let ingested = try await harness.send(
                .POST, "/api/v1/ingest", bytes: line, ["Content-Type": "application/x-ndjson"])
            #expect(ingested.text.contains("'kind=message'") && ingested.text.contains("\"line\":1"))
            #expect(try await harness.send(.GET, "/api/v1/status").json["entries"] == 1)
        }
    }
}
