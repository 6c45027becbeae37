import Foundation
import NIOHTTP1
import Roost
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

    private static func wait(in harness: HTTPHarness, for line: String) async throws {
        let deadline = ContinuousClock.now + .seconds(1200)
        while ContinuousClock.now < deadline {
            if try await harness.send(.GET, "/metrics").text.contains(line) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the metrics never contained '\(line)'")
    }
}
