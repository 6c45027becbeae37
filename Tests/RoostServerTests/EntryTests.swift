import Foundation
import NIOHTTP1
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

@Suite(.temporaryFolders) struct EntryTests {
    @Test func `an entry is created, read, changed and removed`() async throws {
        try await HTTPHarness.run { harness in
            let created = try await harness.send(
                .POST, "/api/v1/entries",
                ["text": "The swift is back.", "tags": ["birds"], "metadata": ["year": 2026]])
            #expect(created.status == 201)
            let location = try #require(created.headers["Location"].first)
            let again = try await harness.send(.POST, "/api/v1/entries", ["text": "The swift is back."])
            #expect(again.status == 200)
            #expect(again.json["id"] == created.json["id"])
            let read = try await harness.send(.GET, location)
            #expect(read.json["metadata"] == ["year": 2026])
            #expect(read.headers["ETag"].first == read.json["revision"]?.string.map { "\"\($0)\"" })
            let changed = try await harness.send(
                .PATCH, location,
                ["text": "The swifts are back.", "addTags": ["roof"], "metadata": ["year": nil, "n": 1]])
            #expect(try await harness.send(.GET, location).json["text"] == "The swifts are back.")
            #expect(changed.json["tags"] == ["birds", "roof"])
            #expect(changed.json["metadata"] == ["n": 1])
            #expect(try await harness.send(.DELETE, location).json == ["removed": 1])
            #expect(try await harness.send(.GET, location).status == 404)
            #expect(try await harness.send(.DELETE, location).status == 404)
        }
    }

    @Test func `several entries are read and removed by their ids`() async throws {
        try await HTTPHarness.run { harness in
            var ids: [String] = []
            for text in ["a swift", "a heron", "green tea"] {
                ids.append(try await harness.store.add(text).id.text)
            }
            let path = "/api/v1/entries?ids=\(ids[0])&ids=\(ids[2])"
            let page = try await harness.send(.GET, path + "&ids=\(UUID().uuidString)").json
            let texts = (page["entries"]?.elements ?? []).compactMap { $0["text"]?.string }
            #expect(texts == ["a swift", "green tea"])
            let found = try await harness.send(
                .POST, "/api/v1/search", ["query": "a", "ids": [.string(ids[1])]])
            #expect(found.status == 200)
            let removal = "/api/v1/entries/remove"
            for unknown in ["none", "", UUID().uuidString] {
                let input: JSONValue = ["ids": [.string(unknown)], "confirm": true]
                #expect(try await harness.send(.POST, removal, input).status >= 400, "\(unknown)")
            }
            let selected: JSONValue = [.string(ids[0]), .string(ids[2])]
            #expect(try await harness.send(.POST, removal, ["ids": selected]).json["removed"] == 0)
            let removed = try await harness.send(.POST, removal, ["ids": selected, "confirm": true])
            #expect(removed.json["removed"] == 2)
            #expect(try await harness.store.count() == 1)
        }
    }

    @Test func `a text with a key replaces the text of its entry`() async throws {
        try await HTTPHarness.run { harness in
            func put(_ text: String, _ key: String) async throws -> HTTPHarness.Answer {
                try await harness.send(
                    .POST, "/api/v1/entries",
                    ["text": .string(text), "key": .string(key), "metadata": ["n": 1]])
            }
            let first = try await put("milk", "list 1")
            #expect(first.status == 201)
            let second = try await put("milk and bread", "list 1")
            #expect(second.status == 200 && second.json["id"] == first.json["id"])
            let id = try #require(first.json["id"]?.string)
            let entry = try await harness.send(.GET, "/api/v1/entries/" + id)
            #expect(entry.json["text"] == "milk and bread")
            // An equal text with another key is another entry.
            #expect(try await put("milk and bread", "list 2").status == 201)
            #expect(try await harness.store.count() == 2)
            for key in [" ", "sha256:1", "a\nb"] { #expect(try await put("x", key).status == 400, "\(key)") }
        }
    }

    @Test func `the entries that match a filter are removed, and never all of them`() async throws {
        try await HTTPHarness.run { harness in
            for number in 1...3 {
                let body: JSONValue = [
                    "text": .string("text \(number)"), "tags": [number == 1 ? "keep" : "draft"],
                    "metadata": ["n": .integer(Int64(number))],
                ]
                #expect(try await harness.send(.POST, "/api/v1/entries", body).status == 201)
            }
            let path = "/api/v1/entries/remove"
            // An empty source would be the current folder of the server.
            let invalid: [JSONValue] = [
                [:], ["confirm": true], ["sources": [""]], ["tags": []], ["where": ["n"]],
            ]
            for input in invalid {
                #expect(try await harness.send(.POST, path, input).status == 400, "\(input)")
            }
            let counted = try await harness.send(.POST, path, ["tags": ["draft"]]).json
            #expect(counted["removed"] == 0 && counted["matching"] == 2)
            #expect(counted["entries"]?.elements?.count == 2)
            #expect(try await harness.store.count() == 3)
            let few: JSONValue = ["tags": ["draft"], "where": ["n>=3"], "confirm": true]
            let removed = try await harness.send(.POST, path, few).json
            #expect(removed["removed"] == 1 && removed["matching"] == 1)
            #expect(try await harness.store.count() == 2)
            let others: JSONValue = ["tags": ["none"], "confirm": true]
            #expect(try await harness.send(.POST, path, others).json["removed"] == 0)
        }
    }

    @Test func `a list has pages, and a cursor expires when the store changes`() async throws {
        try await HTTPHarness.run { harness in
            for number in 0..<5 {
                try await harness.store.add("text \(number)", tags: number < 3 ? ["few"] : [])
            }
            var (ids, cursor) = (Set<JSONValue>(), "")
            repeat {
                let page = try await harness.send(.GET, "/api/v1/entries?limit=2" + cursor).json
                ids.formUnion((page["entries"]?.elements ?? []).compactMap { $0["id"] })
                cursor = page["nextCursor"]?.string.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty
            #expect(ids.count == 5)
            let few = try await harness.send(.GET, "/api/v1/entries?tags=few&limit=2").json
            let next = try #require(few["nextCursor"]?.string)
            #expect(try await harness.send(.GET, "/api/v1/entries?cursor=\(next)").status == 400)
            let all = try await harness.send(.GET, "/api/v1/entries?limit=2").json["nextCursor"]?.string
            let other = try await harness.send(.GET, "/api/v1/sources?cursor=\(try #require(all))")
            #expect(other.status == 400 && other.text.contains("different parameters"), "\(other.text)")
            try await harness.store.add("another text")
            let expired = try await harness.send(.GET, "/api/v1/entries?tags=few&limit=2&cursor=\(next)")
            #expect(expired.status == 410)
        }
    }

    @Test func `invalid requests name the fault`() async throws {
        try await HTTPHarness.run { harness in
            let cases: [(JSONValue, String)] = [
                (["texts": "x"], "texts"), ([:], "text"), (["text": 1], "a string"),
                (["text": " "], "empty"), ([1], "an object"),
                (["text": "x", "tags": [""]], "tags[0]"),
            ]
            for (body, text) in cases {
                let answer = try await harness.send(.POST, "/api/v1/entries", body)
                #expect(answer.status == 400)
                #expect(answer.json["detail"]?.string?.contains(text) == true, "\(answer.text)")
            }
            let unknown = try await harness.send(.GET, "/api/v1/entries?limits=2")
            #expect(unknown.json["detail"]?.string?.contains("'limits'") == true)
            #expect(try await harness.send(.GET, "/api/v1/entries?limit=0").status == 400)
            #expect(try await harness.send(.GET, "/api/v1/entries/none").status == 404)
            let type = try await harness.send(
                .POST, "/api/v1/entries", ["text": "x"], ["Content-Type": "text/plain"])
            #expect(type.status == 415)
            let broken = try await harness.send(
                .POST, "/api/v1/entries", bytes: Data("{".utf8), ["Content-Type": "application/json"])
            #expect(broken.status == 400)
        }
    }

    @Test func `lines with keys replace the texts of their entries`() async throws {
        try await HTTPHarness.run { harness in
            func ingest(_ lines: String...) async throws -> String {
                let body = Data(lines.joined(separator: "\n").utf8)
                let type = ["Content-Type": "application/x-ndjson"]
                return try await harness.send(.POST, "/api/v1/ingest", bytes: body, type).text
            }
            let first = try await ingest(
                #"{"content":"milk","key":"1"}"#, #"{"content":"tea","key":"2"}"#,
                #"{"content":"milk and bread","key":"1","tags":["list"]}"#, #"{"content":"tea"}"#)
            #expect(first.contains("\"new\":3,\"unchanged\":1,\"updated\":0"), "\(first)")
            let entry = try await harness.store.entry(EntryID.added(withKey: "1"))
            #expect(entry?.content == "milk and bread" && entry?.tags == ["list"])
            let second = try await ingest(
                #"{"content":"oil","key":"1"}"#, #"{"content":"tea","key":"2"}"#)
            #expect(second.contains("\"new\":0,\"unchanged\":1,\"updated\":1"), "\(second)")
            #expect(try await harness.store.count() == 3)
            #expect(try await ingest(#"{"content":"x","key":"sha256:1"}"#).contains("line 1.key must not"))
            // The keys are equal strings with different bytes.
            let accents = try await ingest(
                #"{"content":"one","key":"\u00e9"}"#, #"{"content":"two","key":"e\u0301"}"#)
            #expect(accents.contains("\"new\":2"), "\(accents)")
        }
    }

    @Test func `many entries are ingested and exported as lines`() async throws {
        try await HTTPHarness.run { harness in
            let lines = (0..<300).map { "{\"content\":\"line \($0)\",\"tags\":[\"n\"]}" }
            let body = Data((lines.joined(separator: "\n") + "\n\n").utf8)
            let type = ["Content-Type": "application/x-ndjson"]
            let answer = try await harness.send(.POST, "/api/v1/ingest", bytes: body, type)
            let reports = answer.text.split(separator: "\n").map(String.init)
            #expect(reports.count == 2)
            #expect(reports.last?.contains("\"done\":true") == true)
            #expect(reports.last?.contains("\"new\":300") == true)
            let again = try await harness.send(.POST, "/api/v1/ingest", bytes: body, type)
            #expect(again.text.contains("\"new\":0,\"unchanged\":300"))
            let exported = try await harness.send(.GET, "/api/v1/export?tags=n")
            let rows = exported.text.split(separator: "\n")
            #expect(rows.count == 300 && rows.allSatisfy { $0.contains("\"content\":") })
            let headed = try await harness.send(.GET, "/api/v1/export?tags=n&vectors=true")
            #expect(headed.text.hasPrefix("{\"schemaVersion\":1,\"space\":"), "\(headed.text.prefix(80))")
            let faulty = Data("{\"content\":\"good\"}\n{\"content\":1}\n".utf8)
            let fault = try await harness.send(.POST, "/api/v1/ingest", bytes: faulty, type)
            #expect(fault.text.contains("\"line\":2"))
            #expect(fault.text.contains("\"error\""))
        }
    }
}
