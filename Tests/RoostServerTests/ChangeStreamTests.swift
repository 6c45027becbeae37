import Foundation
import HTTPTypes
import NIOHTTP1
import Roost
import RoostModel
import Synchronization
import Testing

@testable import RoostRemote
@testable import RoostServer

/// Tests of change streams with more events than a server may hold in memory.
struct ChangeStreamTests {
    private static let count = 6_000

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

    private static func events(
        _ harness: HTTPHarness, _ query: String, after id: String? = nil
    ) async throws -> Int {
        var call = HTTPCall(
            .get, "http://127.0.0.1:\(harness.port)/api/v1/changes\(query)",
            headers: [.authorization: "Bearer \(HTTPHarness.token)"])
        if let id { call.headers.add("Last-Event-ID", id) }
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
            // The first event has the position where the stream begins.
            let text = try await Self.text(harness, until: "event: position")
            let id = try Self.id(of: "position", in: text)
            try await Self.fill(harness.store)
            #expect(try await Self.events(harness, "", after: id) == Self.count)
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
            #expect(value.serialized() == id)
        }
    }

    private static func text(
        _ harness: HTTPHarness, after id: String? = nil, until end: String,
        _ change: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> String {
        var call = HTTPCall(
            .get, "http://127.0.0.1:\(harness.port)/api/v1/changes",
            headers: [.authorization: "Bearer \(HTTPHarness.token)"])
        if let id { call.headers.add("Last-Event-ID", id) }
        let hasChanged = Mutex(false)
        return try await HTTPHarness.stream(call) { _, text in
            // The change is made when the stream has reported its position.
            if text.contains("id: "),
                hasChanged.withLock({ old in
                    defer { old = true }
                    return !old
                })
            {
                Task { try await change() }
            }
            return text.contains(end) && text.hasSuffix("\n\n")
        }
    }

    /// Returns the id of the first event with a name.
    private static func id(of name: String, in text: String) throws -> String {
        let event = try #require(
            text.components(separatedBy: "\n\n").first { $0.contains("event: \(name)\n") })
        let line = try #require(event.split(separator: "\n").first { $0.hasPrefix("id: ") })
        return String(line.dropFirst(4))
    }

    @Test func `a client that saw no change continues where its stream began`() async throws {
        try await HTTPHarness.run { harness in
            let old = try await harness.store.add("before the stream")
            let text = try await Self.text(harness, until: "event: position")
            let id = try Self.id(of: "position", in: text)
            let missed = try await harness.store.add("while the client was away")
            try await harness.store.remove(old.id)
            let rest = try await Self.text(harness, after: id, until: "event: removed")
            let events = rest.components(separatedBy: "\n\n").filter { $0.contains("data:") }
            #expect(events.count == 2 && !rest.contains("event: position"), "\(rest)")
            #expect(events[0].contains("event: upserted") && events[0].contains(missed.id.text))
            #expect(events[1].contains("event: removed") && events[1].contains(old.id.text))
            let wrong = try await harness.send(.GET, "/api/v1/changes", nil, ["Last-Event-ID": "x"])
            #expect(wrong.status == 400)
        }
    }

    @Test func `a stream continues after a reset, with an id that does not reset again`() async throws {
        try await HTTPHarness.run { harness in
            try await harness.store.add("before the restore")
            let first = try await Self.text(harness, until: "event: position")
            let id = try Self.id(of: "position", in: first)
            _ = try await harness.store.storage.renewEpoch()
            let text = try await Self.text(harness, after: id, until: "event: upserted") {
                try await harness.store.add("after the reset")
            }
            #expect(text.components(separatedBy: "event: reset").count == 2, "\(text)")
            let again = try await Self.text(
                harness, after: try Self.id(of: "reset", in: text), until: "event: upserted")
            #expect(!again.contains("event: reset"), "\(again)")
        }
    }
}
