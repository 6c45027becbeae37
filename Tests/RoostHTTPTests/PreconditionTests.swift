import Foundation
import NIOHTTP1
import Roost
import RoostMCP
import RoostModel
import Testing

@testable import RoostHTTP

/// Tests of conditional requests (RFC 9110, section 13) and of protected metadata.
struct PreconditionTests {
    @Test(arguments: [
        ("*", 200), ("TAG", 200), ("\"none\", TAG", 200), ("TAG ,, \"none\"", 200), ("W/TAG", 412),
        ("\"none\"", 412), ("\"999999\"", 412), ("\"a,b\", W/\"c\"", 412), ("5", 400), ("TAG TAG", 400),
        (",", 400),
    ]) func `a change is made if a strong tag matches`(field: String, status: Int) async throws {
        try await HTTPHarness.run { harness in
            let created = try await harness.send(.POST, "/api/v1/entries", ["content": "a note"])
            let (location, tag) = (
                created.headers["Location"].first ?? "", created.headers["ETag"].first ?? ""
            )
            let condition = ["If-Match": field.replacing("TAG", with: tag)]
            #expect(try await harness.send(.GET, location, nil, condition).status == status)
            let changed = try await harness.send(.PATCH, location, ["addTags": ["x"]], condition)
            #expect(changed.status == status, "\(changed.text)")
            #expect((changed.json["tags"] == ["x"]) == (status == 200))
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
                #expect(try await harness.send(.GET, path, nil, condition).status == 412)
            }
            #expect(try await harness.send(.GET, path, nil, ["If-None-Match": "*"]).status == 404)
        }
    }

    @Test(arguments: [
        ("*", 304), ("TAG", 304), ("W/TAG", 304), ("\"none\", W/TAG", 304), ("\"none\"", 200), ("x", 400),
    ]) func `an entry that the client has stored is not sent again`(field: String, status: Int) async throws {
        try await HTTPHarness.run { harness in
            let created = try await harness.send(.POST, "/api/v1/entries", ["content": "a note"])
            let (location, tag) = (
                created.headers["Location"].first ?? "", created.headers["ETag"].first ?? ""
            )
            let condition = ["If-None-Match": field.replacing("TAG", with: tag)]
            for method in [HTTPMethod.GET, .HEAD] {
                let answer = try await harness.send(method, location, nil, condition)
                #expect(answer.status == status)
                if status == 304 { #expect(answer.headers["ETag"] == [tag] && answer.body.isEmpty) }
            }
        }
    }

    @Test func `another cluster makes an answer new, but is no change of the entry`() async throws {
        try await HTTPHarness.run { harness in
            for text in ["a boat at sea", "a boat in the harbor", "bread in the oven", "bread with yeast"] {
                try await harness.store.add(text)
            }
            let created = try await harness.send(.POST, "/api/v1/entries", ["content": "a boat with sails"])
            let (location, tag) = (
                created.headers["Location"].first ?? "", created.headers["ETag"].first ?? ""
            )
            _ = try await harness.store.recluster(clusters: 2)
            let read = try await harness.send(.GET, location, nil, ["If-None-Match": tag])
            #expect(read.status == 200 && read.json["cluster"] != nil, "\(read.text)")
            let new = try #require(read.headers["ETag"].first)
            #expect(try await harness.send(.GET, location, nil, ["If-None-Match": new]).status == 304)
            let changed = try await harness.send(.PATCH, location, ["addTags": ["x"]], ["If-Match": tag])
            #expect(changed.status == 200, "\(changed.text)")
            for old in [tag, new] {
                #expect(try await harness.send(.DELETE, location, nil, ["If-Match": old]).status == 412)
            }
        }
    }

    @Test func `a revision of another epoch is another revision`() {
        let (id, revision) = (UUID(), Revision(rawValue: 7))
        func tag(_ epoch: UUID, _ revision: Revision, _ cluster: UUID?) -> EntryTag {
            let stamp = Stamp(store: UUID(), epoch: epoch, revision: .zero, entryCount: 0, clusterCount: 0)
            return EntryTag(revision, of: cluster, at: stamp)
        }
        let epoch = UUID()
        let text = tag(epoch, revision, id).text
        #expect(tag(epoch, revision, nil).hasRevision(of: text))
        #expect(!tag(UUID(), revision, id).hasRevision(of: text))
        #expect(!tag(epoch, Revision(rawValue: 70), id).hasRevision(of: text))
        #expect(!tag(epoch, Revision(rawValue: 70), id).hasRevision(of: "\"7\""))
    }

    @Test func `a request cannot turn an entry into a message`() async throws {
        try await HTTPHarness.run { harness in
            let metadata: JSONValue = ["kind": "message"]
            let created = try await harness.send(
                .POST, "/api/v1/entries", ["content": "a note", "metadata": metadata])
            #expect(created.status == 400)
            #expect(created.json["detail"]?.asString?.contains("'kind'") == true)
            let entry = try await harness.send(.POST, "/api/v1/entries", ["content": "a note"])
            let location = try #require(entry.headers["Location"].first)
            for change: JSONValue in [metadata, ["kind": nil]] {
                let changed = try await harness.send(.PATCH, location, ["metadata": change])
                #expect(changed.status == 400)
            }
            let line = Data(#"{"content":"another","metadata":{"kind":"message"}}"#.utf8)
            let ingested = try await harness.send(
                .POST, "/api/v1/ingest", bytes: line, ["Content-Type": "application/x-ndjson"])
            #expect(ingested.text.contains("'kind'") && ingested.text.contains("\"line\":1"))
            #expect(try await harness.send(.GET, "/api/v1/status").json["entries"] == 1)
        }
    }

    @Test func `a message keeps its conversation, place and author`() async throws {
        try await HTTPHarness.run { harness in
            let stored = try await harness.send(
                .POST, "/api/v1/conversations/messages",
                [
                    "user": "u", "session": "s", "agent": "a",
                    "messages": [["role": "user", "content": "the swift is back", "speaker": "Mara"]],
                ])
            #expect(stored.json["new"] == 1)
            let list = try await harness.send(.GET, "/api/v1/conversations/messages").json
            let id = try #require(list["messages"]?.elements?.first?["id"]?.asString)
            let path = "/api/v1/entries/\(id)"
            let metadata = try await harness.send(.GET, path).json["metadata"]?.members ?? [:]
            #expect(!metadata.isEmpty)
            for key in metadata.keys {
                let answer = try await harness.send(.PATCH, path, ["metadata": [key: 7]])
                #expect(answer.status == 400, "\(key)")
            }
            for key in RequestMetadata.messageKeys {
                let answer = try await harness.send(.PATCH, path, ["metadata": .object([key: .null])])
                #expect(answer.status == 400, "\(key)")
            }
            #expect(try await harness.send(.PATCH, path, ["metadata": ["note": 1]]).status == 200)
            let entry = try await harness.send(.POST, "/api/v1/entries", ["content": "a note"])
            let location = try #require(entry.headers["Location"].first)
            #expect(try await harness.send(.PATCH, location, ["metadata": ["role": "x"]]).status == 200)
        }
    }
}
