import Foundation
import NIOHTTP1
import Roost
import RoostMCP
import RoostModel
import Testing

@testable import RoostHTTP

/// Tests of rules of HTTP that clients of libraries seldom need.
struct MessageRulesTests {
    private static let authorization = "Authorization: Bearer \(HTTPHarness.token)\r\n"

    @Test(arguments: ["/livez", "/api/v1/export", "/api/v1/nothing"])
    func `an answer to an old client has no chunks and ends with the connection`(path: String) async throws {
        try await HTTPHarness.run { harness in
            try await harness.store.add("a note")
            let connection = try RawConnection(port: harness.port)
            try await connection.write("GET \(path) HTTP/1.0\r\nHost: localhost\r\n\(Self.authorization)\r\n")
            let answer = try await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.0 "), "\(answer)")
            #expect(answer.lowercased().contains("connection: close\r\n"))
            #expect(!answer.lowercased().contains("transfer-encoding"))
            if path.hasSuffix("export") { #expect(answer.hasSuffix("}\n") && answer.contains("\r\n\r\n{")) }
        }
    }

    @Test(arguments: [
        ("/livez", "", 400), ("/livez", "Host: localhost\r\nHost: evil.example.com\r\n", 400),
        ("/livez", "Host: localhost\r\nHost: localhost\r\n", 400), ("/livez", "Host: localhost\r\n", 200),
        ("/livez", "Host: localhost:\r\n", 200), ("/livez", "Host: LOCALHOST:4400\r\n", 200),
        ("/livez", "Host: [::1]:80\r\n", 200), ("/livez", "Host: [::1]evil\r\n", 403),
        ("/livez", "Host: localhost:+80\r\n", 403), ("/livez", "Host: localhost:99999\r\n", 403),
        ("/livez", "Host: \r\n", 403), ("/livez", "Host: a@localhost\r\n", 403),
        ("http://evil.example.com/livez", "Host: localhost\r\n", 403),
        ("http://localhost:80/livez", "Host: evil.example.com\r\n", 200),
        ("HTTP://localhost/livez?", "Host: localhost\r\n", 200), ("http://localhost/livez", "", 400),
    ]) func `a request names exactly one permitted host`(target: String, fields: String, status: Int)
        async throws
    {
        try await HTTPHarness.run { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write("GET \(target) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
            let answer = try await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(target) \(fields): \(answer)")
        }
    }

    @Test(
        arguments: [
            ("/api/v1/entries", "application/json", "Transfer-Encoding: chunked", "5\r\n{\"con\r\nzz\r\n"),
            ("/api/v1/ingest", "application/x-ndjson", "Transfer-Encoding: chunked", "5\r\n{\"con\r\nzz\r\n"),
            ("/api/v1/entries", "application/json", "Content-Length: 50", "{\"con"),
        ])
    func `a body with invalid chunks or without its end is the fault of the client`(
        path: String, type: String, field: String, body: String
    ) async throws {
        try await HTTPHarness.run { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\n\(field)\r\n"
                    + "\(Self.authorization)\r\n\(body)")
            if field.hasPrefix("Content-Length") { connection.finishWriting() }
            let answer = try await connection.readToEnd()
            #expect(answer.contains("\"status\":400"), "\(answer)")
        }
    }

    @Test(arguments: [
        ("/api/v1/search", "{\"query\":", 400), ("/api/v1/search", "{\"x\":1}", 400),
        ("/api/v1/clusters/merge", "{\"clusters\":[\"a\",\"b\"]}", 400), ("/mcp", "{}", 400),
    ]) func `a connection stays open after an error if the body was read`(
        path: String, body: String, status: Int
    ) async throws {
        try await HTTPHarness.run { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\(Self.authorization)\r\n\(body)"
                    + "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let answers = try await connection.readToEnd()
            #expect(answers.hasPrefix("HTTP/1.1 \(status) "), "\(answers)")
            #expect(answers.contains("HTTP/1.1 200 "), "\(answers)")
        }
    }

    @Test func `a connection is closed after an error if the body was not read`() async throws {
        try await HTTPHarness.run { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write(
                "POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 2\r\n\r\n")
            let answer = try await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
            #expect(answer.lowercased().contains("connection: close\r\n"), "\(answer)")
        }
    }

    private static func head(_ path: String, _ type: String, _ length: Int, _ fields: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n"
            + "Expect: 100-continue\r\nConnection: close\r\n\(fields)\r\n"
    }

    @Test(arguments: [
        ("/api/v1/entries", "application/json", "201"), ("/api/v1/ingest", "application/x-ndjson", "200"),
    ]) func `a body that the client holds back is asked for`(path: String, type: String, status: String)
        async throws
    {
        try await HTTPHarness.run { harness in
            let body = "{\"content\":\"a note\"}"
            let connection = try RawConnection(port: harness.port)
            try await connection.write(Self.head(path, type, body.utf8.count, Self.authorization))
            #expect(try await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await connection.write(body)
            let answer = try await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(!answer.contains("100 Continue"))
        }
    }

    @Test func `a request that is refused gets its status instead of a question for the body`() async throws {
        try await HTTPHarness.run { harness in
            let json = "application/json"
            for (head, status) in [
                (Self.head("/api/v1/entries", json, 20, ""), 401),
                (Self.head("/api/v1/entries", json, 1 << 30, Self.authorization), 413),
                (Self.head("/api/v1/ingest", json, 20, Self.authorization), 415),
            ] {
                let connection = try RawConnection(port: harness.port)
                try await connection.write(head)
                let answer = try await connection.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            }
        }
    }

    @Test func `a client that sends the body at once gets only the answer`() async throws {
        try await HTTPHarness.run { harness in
            let body = "{\"content\":\"a note\"}"
            let connection = try RawConnection(port: harness.port)
            try await connection.write(
                Self.head("/api/v1/entries", "application/json", body.utf8.count, Self.authorization) + body)
            let answer = try await connection.readToEnd()
            #expect(answer.contains("HTTP/1.1 201 "), "\(answer)")
        }
    }

    @Test func `a streamed body that drips is refused`() async throws {
        let settings = HTTPHarness.settings { $0.limits.transferTime = .seconds(1) }
        try await HTTPHarness.run(settings) { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write(
                "POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\n\(Self.authorization)"
                    + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
            // The server closes the connection some time after its answer.
            for _ in 0..<40 {
                guard (try? await connection.write("1\r\n \r\n")) != nil else { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            let answer = try await connection.readToEnd()
            #expect(answer.contains("\"status\":408"), "\(answer)")
        }
    }

    @Test func `metrics can be read when the limit on requests is reached`() async throws {
        try await HTTPHarness.run(HTTPHarness.settings { $0.limits.concurrentRequests = 0 }) { harness in
            #expect(try await harness.send(.GET, "/api/v1/status").status == 503)
            let metrics = try await harness.send(.GET, "/metrics")
            #expect(metrics.status == 200)
            #expect(metrics.text.contains("roost_http_requests_in_flight 0"))
        }
    }

    @Test(arguments: [
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX: a\u{1}b\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX\u{0}: a\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET /live z HTTP/1.1\r\nHost: localhost\r\n\r\n", "garbage\r\n\r\n",
    ]) func `a head that cannot be read is answered with a problem`(head: String) async throws {
        try await Self.expectProblem(after: head, status: 400)
    }

    @Test(arguments: [(70_000, 0, 0), (0, 1, 70_000), (0, 101, 1)])
    func `a head above the limits is answered with a problem`(target: Int, fields: Int, length: Int)
        async throws
    {
        let query = String(repeating: "a", count: target)
        let field = "X: \(String(repeating: "a", count: length))\r\n"
        try await Self.expectProblem(
            after: "GET /livez?\(query) HTTP/1.1\r\nHost: localhost\r\n"
                + "\(String(repeating: field, count: fields))\r\n", status: 431)
    }

    @Test(arguments: [("POST /nothing", 404), ("GET /livez", 200), ("POST /api/v1/search", 401)])
    func `an invalid rest of an answered request gets no second answer`(
        line: String, status: Int
    ) async throws {
        try await HTTPHarness.run { harness in
            let head = "\(line) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            let connection = try RawConnection(port: harness.port)
            try await connection.write(head + "zz\r\n")
            let answers = try await connection.readToEnd()
            #expect(answers.hasPrefix("HTTP/1.1 \(status) "), "\(answers)")
            #expect(answers.ranges(of: "HTTP/1.1 ").count == 1, "\(answers)")
        }
    }

    /// Checks that a request is answered with a problem, alone and after another request.
    private static func expectProblem(after head: String, status: Int) async throws {
        try await HTTPHarness.run { harness in
            let first = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for requests in [head, first + head] {
                let connection = try RawConnection(port: harness.port)
                try await connection.write(requests)
                let answers = try await connection.readToEnd()
                #expect(answers.hasPrefix(requests == head ? "HTTP/1.1 \(status) " : "HTTP/1.1 200 "))
                let start = try #require(answers.firstRange(of: "HTTP/1.1 \(status) "), "\(answers)")
                let answer = String(answers[start.lowerBound...])
                let end = try #require(answer.firstRange(of: "\r\n\r\n"), "\(answer)")
                let (fields, body) = (answer[..<end.lowerBound].lowercased(), answer[end.upperBound...])
                #expect(fields.contains("\r\ncontent-type: application/problem+json\r\n"), "\(fields)")
                #expect(fields.contains("\r\nconnection: close\r\n"), "\(fields)")
                #expect(fields.contains("\r\ndate: "), "\(fields)")
                #expect(fields.contains("\r\ncontent-length: \(body.utf8.count)\r\n"), "\(fields)")
                let problem = try JSONDecoder().decode(JSONValue.self, from: Data(body.utf8))
                #expect(problem["status"] == .integer(Int64(status)), "\(body)")
            }
        }
    }
}
