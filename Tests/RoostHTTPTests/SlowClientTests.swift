import Foundation
import NIOHTTP1
import Roost
import RoostMCP
import RoostModel
import Testing

@testable import RoostHTTP

/// Tests with clients that send or read nothing.
struct SlowClientTests {
    private static let settings = HTTPHarness.settings {
        $0.limits.idleTime = .milliseconds(300)
        $0.limits.transferTime = .milliseconds(300)
    }

    @Test(arguments: ["", "GET /livez HTTP/1.1\r\nHost: local", "POST /mcp HTTP/1.1\r\n"])
    func `a connection without a complete request is closed`(beginning: String) async throws {
        try await HTTPHarness.run(Self.settings) { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write(beginning)
            let start = ContinuousClock.now
            #expect(try await !connection.readToEnd().hasPrefix("HTTP/1.1 2"))
            #expect(ContinuousClock.now - start < .seconds(1200))
        }
    }

    @Test func `header lines that arrive one by one do not keep a connection open`() async throws {
        try await HTTPHarness.run(Self.settings) { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n")
            let start = ContinuousClock.now
            var isOpen = true
            while isOpen, ContinuousClock.now - start < .seconds(1200) {
                isOpen = (try? await connection.write("X-A: 1\r\n")) != nil
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(!isOpen)
        }
    }

    /// A client that does not read its answer must not keep the stream and its memory.
    @Test func `a stream that is not read is closed`() async throws {
        try await HTTPHarness.run(Self.settings) { harness in
            let text = String(repeating: "many words in a long text ", count: 8_000)
            for number in 0..<60 { try await harness.store.add("\(number) \(text)") }
            let connection = try RawConnection(port: harness.port, receiveBuffer: 65_536)
            try await connection.write(
                "GET /api/v1/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + HTTPHarness.token + "\r\n\r\n")
            try await Self.wait(in: harness, for: "route=\"/api/v1/export\"")
            try await Self.wait(in: harness, for: "roost_http_streams_open 0")
            // A server that closes a connection with unsent bytes resets it, which is an error for the
            // reader.
            let received = (try? await connection.readToEnd()) ?? ""
            #expect(received.utf8.count < 60 * text.utf8.count)
        }
    }

    private static func head(_ length: Int) -> String {
        "POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + HTTPHarness.token
            + "\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
    }

    /// Connects a client that sends a part of a large body and then waits.
    private static func stalledUpload(to port: Int, bytes: Int) async throws -> RawConnection {
        let connection = try RawConnection(port: port)
        try await connection.write(head(1 << 20) + String(repeating: " ", count: bytes))
        return connection
    }

    @Test func `clients that send their bodies slowly do not keep others from being answered`() async throws {
        let settings = HTTPHarness.settings {
            $0.limits.concurrentRequests = 1
            $0.limits.transferTime = .seconds(1200)
        }
        try await HTTPHarness.run(settings) { harness in
            var slow: [RawConnection] = []
            for _ in 0..<4 { slow.append(try await Self.stalledUpload(to: harness.port, bytes: 1_000)) }
            // Gives the server the time to begin with the bodies.
            try await Task.sleep(for: .milliseconds(300))
            for _ in 0..<3 {
                #expect(try await harness.send(.POST, "/api/v1/search", ["query": "x"]).status == 200)
            }
            // The slow clients are answered, too, when their bodies are complete.
            let body = "{\"query\": \"x\"}"
            for connection in slow {
                try await connection.write(
                    body + String(repeating: " ", count: (1 << 20) - 1_000 - body.utf8.count))
                #expect(try await connection.read(until: "\r\n").hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test func `small bodies are read when large ones fill the memory for bodies`() async throws {
        let settings = HTTPHarness.settings {
            $0.limits.arrivingBytes = 4 * RequestReader.blockBytes
            $0.limits.transferTime = .seconds(1200)
        }
        try await HTTPHarness.run(settings) { harness in
            let large: JSONValue = ["query": .string(String(repeating: "word ", count: 40_000))]
            let deadline = ContinuousClock.now + .seconds(1200)
            var slow: [RawConnection] = []
            var status = 0
            // A large body fits until the server has read the part of the slow client. If the server reads
            // both at the same time, it may refuse the slow client instead, so another one follows.
            while status != 503, ContinuousClock.now < deadline {
                slow.append(
                    try await Self.stalledUpload(to: harness.port, bytes: 5 * RequestReader.blockBytes))
                try await Task.sleep(for: .milliseconds(100))
                status = try await harness.send(.POST, "/api/v1/search", large).status
            }
            #expect(status == 503)
            #expect(try await harness.send(.POST, "/api/v1/search", ["query": "x"]).status == 200)
            withExtendedLifetime(slow) {}
        }
    }

    @Test func `a request may take longer if its body is large`() {
        let limits = ServerSettings.Limits()
        #expect(limits.requestTime(forEmbedding: 0) == .seconds(120))
        #expect(limits.requestTime(forEmbedding: 6 << 20) == .seconds(120 + 3072))
    }

    private static func wait(in harness: HTTPHarness, for line: String) async throws {
        let deadline = ContinuousClock.now + .seconds(1200)
        while ContinuousClock.now < deadline {
            if try await harness.send(.GET, "/metrics").text.contains(line) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the metrics never contained '\(line)'")
    }
}
