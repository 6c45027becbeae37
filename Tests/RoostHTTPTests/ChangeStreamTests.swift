import Foundation
import HTTPTypes
import NIOHTTP1
import Roost
import RoostMCP
import RoostModel
import RoostNetwork
import Synchronization
import Testing

@testable import RoostHTTP

/// Tests of change streams with more events than a server may hold in memory.
struct ChangeStreamTests {
    private static let count = 6_000

    /// Adds entries in one commit.
    private static func fill(_ store: KnowledgeStore) async throws {
        let drafts = (0..<count).map { EntryDraft(content: "note \($0)") }
        try await store.ingest([
            SourceDraft(id: "notes", fingerprint: "", entries: drafts, isComplete: false)
        ])
    }

    /// Counts the events in the bytes of a stream.
    private struct Counter {
        var events = 0
        private var (previous, isFirst, isComment) = (UInt8(0), true, false)

        mutating func read(_ bytes: UnsafeRawBufferPointer) {
            for byte in bytes {
                if isFirst { (isComment, isFirst) = (byte == UInt8(ascii: ":"), false) }
                if byte == 0x0A, previous == 0x0A {
                    if !isComment { events += 1 }
                    isFirst = true
                }
                previous = byte
            }
        }
    }

    private struct Enough: Error {}

    /// Returns the number of events of a stream, at most ``count``.
    private static func events(_ harness: HTTPHarness, _ query: String) async throws -> Int {
        let call = HTTPCall(
            .get, "http://127.0.0.1:\(harness.port)/api/v1/changes\(query)",
            headers: [.authorization: "Bearer \(HTTPHarness.token)"])
        let counter = Mutex(Counter())
        do {
            try await HTTPHarness.client.stream(
                call, timeout: .seconds(1200), limit: BodyLimit(size: 1 << 26, timeout: .seconds(1200))
            ) { _ in
            } body: { bytes in
                let events = counter.withLock { counter in
                    counter.read(bytes)
                    return counter.events
                }
                if events >= count { throw Enough() }
            }
        } catch is Enough {}
        return counter.withLock(\.events)
    }

    @Test func `a stream from the start has all changes of a large store`() async throws {
        try await HTTPHarness.run { harness in
            try await Self.fill(harness.store)
            #expect(try await Self.events(harness, "?from=start") == Self.count)
        }
    }

    @Test func `a stream has all changes of a large commit`() async throws {
        try await HTTPHarness.run { harness in
            async let events = Self.events(harness, "")
            while try await !harness.send(.GET, "/metrics").text.contains("roost_http_streams_open 1") {
                try await Task.sleep(for: .milliseconds(10))
            }
            try await Self.fill(harness.store)
            #expect(try await events == Self.count)
        }
    }

    @Test func `the id of a change is the same in every answer`() async throws {
        try await HTTPHarness.run { harness in
            try await harness.store.add("a note")
            let call = HTTPCall(
                .get, "http://127.0.0.1:\(harness.port)/api/v1/changes?from=start",
                headers: [.authorization: "Bearer \(HTTPHarness.token)"])
            let text = try await HTTPHarness.stream(call) { _, text in text.contains("data: ") }
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("id: ") })
            let id = try #require(Data(base64Encoded: String(line.dropFirst(4))))
            let value = try JSONDecoder().decode(JSONValue.self, from: id)
            // The members are in alphabetical order, and not in that of a dictionary.
            #expect(JSONWriter.bytes(of: value) == Array(id))
        }
    }
}
