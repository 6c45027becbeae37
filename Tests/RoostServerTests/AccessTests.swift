import Foundation
import NIOCore
import NIOHTTP1
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

@Suite(.temporaryFolders)
struct AccessTests {
    @Test func `requests without the right token are refused`() async throws {
        try await HTTPHarness.run { harness in
            for value in ["", "Bearer wrong-token-000000", "Basic \(HTTPHarness.token)", HTTPHarness.token] {
                let answer = try await harness.send(.GET, "/api/v1/status", nil, ["Authorization": value])
                #expect(answer.status == 401)
                #expect(answer.headers["WWW-Authenticate"] == ["Bearer realm=\"roost\""])
                let detail = answer.json["detail"]?.string ?? ""
                let fault = value.hasPrefix("Bearer") ? "is not valid for this server" : "Bearer TOKEN'"
                #expect(detail.contains(fault), "\(detail)")
                #expect(detail.contains("'roost serve --print-token'"))
                #expect(!detail.contains(HTTPHarness.token) && !detail.contains("wrong-token"))
            }
            let lower = "bearer \(HTTPHarness.token)"
            let answer = try await harness.send(.GET, "/api/v1/status", nil, ["Authorization": lower])
            #expect(answer.status == 200)
            for path in ["/livez", "/openapi.json", "/docs", "/", "/page/main.js"] {
                #expect(try await harness.send(.GET, path, nil, ["Authorization": ""]).status == 200)
            }
            let query = "/api/v1/status?token=\(HTTPHarness.token)"
            #expect(try await harness.send(.GET, query, nil, ["Authorization": ""]).status == 401)
        }
    }

    @Test func `every route except those without data needs the token`() {
        let open = APIServer.routes.filter { !$0.needsToken }.map(\.path)
        #expect(Set(open) == ["/livez", "/openapi.json", "/docs", "/", "/page/{name}"])
    }

    @Test func `foreign hosts and origins are refused`() async throws {
        try await HTTPHarness.run { harness in
            for host in ["evil.example.com", "localhost.evil.example.com", "127.0.0.1.evil.example.com:80"] {
                let answer = try await harness.send(.GET, "/livez", nil, ["Host": host])
                #expect(answer.status == 403, "\(host)")
            }
            for host in ["localhost", "localhost:1", "127.0.0.1:\(harness.port)", "[::1]:8080"] {
                let answer = try await harness.send(.GET, "/livez", nil, ["Host": host])
                #expect(answer.status == 200, "\(host)")
            }
            let origins = [
                ("http://evil.example.com", 403), ("null", 403), ("http://localhost.example.com", 403),
                ("http://localhost:3000", 200), ("https://127.0.0.1", 200),
            ]
            for (origin, status) in origins {
                let answer = try await harness.send(.GET, "/livez", nil, ["Origin": origin])
                #expect(answer.status == status, "\(origin)")
                #expect(answer.headers["Access-Control-Allow-Origin"].isEmpty)
            }
        }
    }

    @Test func `configured hosts are permitted with any port`() async throws {
        let settings = HTTPHarness.settings {
            $0.allowedHosts = ["Notes.example.com", "2001:DB8::1", "[fd00::2]"]
        }
        try await HTTPHarness.run(settings) { harness in
            for host in ["notes.example.com", "notes.example.com:8443", "[2001:db8::1]:4400", "[fd00::2]"] {
                let answer = try await harness.send(.GET, "/livez", nil, ["Host": host])
                #expect(answer.status == 200, "\(host)")
            }
            for host in ["other.example.com", "[2001:db8::2]:4400"] {
                let answer = try await harness.send(.GET, "/livez", nil, ["Host": host])
                #expect(answer.status == 403, "\(host)")
            }
        }
    }

    @Test func `scripts of a configured origin may read answers`() async throws {
        try await HTTPHarness.run(HTTPHarness.settings { $0.allowedOrigins = ["app://obsidian.md"] }) {
            harness in
            let origin = ["Origin": "app://obsidian.md"]
            let answer = try await harness.send(.GET, "/api/v1/status", nil, origin)
            #expect(answer.headers["Access-Control-Allow-Origin"] == ["app://obsidian.md"])
            let preflight = try await harness.send(
                .OPTIONS, "/api/v1/search", nil,
                origin.merging(["Authorization": "", "Access-Control-Request-Method": "POST"]) { $1 })
            #expect(preflight.status == 204)
            #expect(preflight.headers["Access-Control-Allow-Methods"] == ["POST"])
            #expect(
                preflight.headers["Access-Control-Allow-Headers"].first?.contains("Authorization") == true)
        }
    }

    /// Clients of other servers add their own fields, such as `x-stainless-lang`, to each request.
    @Test func `scripts of a configured origin may send any field and read those that clients need`()
        async throws
    {
        try await HTTPHarness.run(HTTPHarness.settings { $0.allowedOrigins = ["https://example.com"] }) {
            harness in
            let fields = ["Authorization": "", "Access-Control-Request-Method": "POST"]
            for (origin, expected) in [
                ("https://example.com", "Authorization, *"), ("http://localhost", nil),
            ] {
                let answer = try await harness.send(
                    .OPTIONS, "/v1/embeddings", nil, fields.merging(["Origin": origin]) { $1 })
                #expect(answer.headers["Access-Control-Allow-Headers"].first == expected)
            }
            let refused = try await harness.send(
                .GET, "/api/v1/status", nil, ["Origin": "https://example.com", "Authorization": ""])
            #expect(refused.status == 401)
            #expect(refused.headers["Access-Control-Expose-Headers"] == ["*"])
        }
    }

    @Test func `too many requests are refused with the time to wait`() async throws {
        try await HTTPHarness.run(HTTPHarness.settings { $0.limits.concurrentRequests = 0 }) { harness in
            let answer = try await harness.send(.GET, "/api/v1/status")
            #expect(answer.status == 503)
            #expect(answer.headers["Retry-After"] == ["1"])
            #expect(try await harness.send(.GET, "/livez").status == 200)
        }
    }

    /// The head of a request whose body has no length yet.
    private static let head =
        "POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + HTTPHarness.token
        + "\r\nContent-Type: application/json\r\n"

    @Test func `a body that is too large or endless is refused`() async throws {
        try await HTTPHarness.run(HTTPHarness.settings { $0.limits.bodyBytes = 1_000 }) { harness in
            let text = String(repeating: "x", count: 2_000)
            let answer = try await harness.send(.POST, "/api/v1/entries", ["text": .string(text)])
            #expect(answer.status == 413)
            let endless = try RawConnection(port: harness.port)
            try await endless.write(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            // Writing fails when the server closes the connection, which it does after the answer.
            let chunk = "64\r\n" + String(repeating: "y", count: 100) + "\r\n"
            try? await endless.write(String(repeating: chunk, count: 100))
            #expect(try await endless.readToEnd().hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func `a body that is too slow is refused`() async throws {
        let settings = HTTPHarness.settings { $0.limits.transferTime = .milliseconds(300) }
        try await HTTPHarness.run(settings) { harness in
            let slow = try RawConnection(port: harness.port)
            try await slow.write(Self.head + "Content-Length: 100\r\n\r\n{")
            #expect(try await slow.readToEnd().hasPrefix("HTTP/1.1 408"))
        }
    }

    @Test func `thousands of header lines are refused`() async throws {
        try await HTTPHarness.run { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n")
            // The server can close the connection before all lines are written.
            let lines = (0..<10_000).map { "X-\($0): 1\r\n" }.joined()
            try? await connection.write(lines + "\r\n")
            let answer = try await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 4") || answer.isEmpty)
            #expect(try await harness.send(.GET, "/livez").status == 200)
        }
    }

    @Test func `unknown paths and methods are reported`() async throws {
        try await HTTPHarness.run { harness in
            #expect(try await harness.send(.GET, "/nothing").status == 404)
            let answer = try await harness.send(.PUT, "/api/v1/entries", ["content": "x"])
            #expect(answer.status == 405)
            #expect(answer.headers["Allow"] == ["GET, HEAD, POST, OPTIONS"])
            // A stream has no answer to HEAD.
            let stream = try await harness.send(.HEAD, "/api/v1/changes")
            #expect(stream.status == 405)
            #expect(stream.headers["Allow"] == ["GET, OPTIONS"])
            #expect(try await harness.send(.GET, "/mcp").status == 405)
            #expect(try await harness.send(.DELETE, "/mcp").status == 405)
        }
    }

    @Test func `answers have the id of the request`() async throws {
        try await HTTPHarness.run { harness in
            let answer = try await harness.send(.GET, "/nothing", nil, ["X-Request-Id": "abc-1"])
            #expect(answer.headers["X-Request-Id"] == ["abc-1"])
            #expect(answer.json["requestId"] == "abc-1")
            let other = try await harness.send(.GET, "/nothing", nil, ["X-Request-Id": "a b\"c"])
            #expect(other.headers["X-Request-Id"].first?.count == 16)
        }
    }

    // MARK: The token file

    @Test func `the token is generated once and only readable by its owner`() throws {
        let file = try TemporaryFolder().url.appendingPathComponent("new/token")
        let token = try AccessToken.read(orCreateAt: file)
        #expect(token.text.count == 64)
        #expect(try AccessToken.read(orCreateAt: file).text == token.text)
        #expect(AccessToken.random().text != token.text)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(throws: ServerError.self) { try AccessToken.read(orCreateAt: file) }
    }

    @Test func `a token file without a token is refused`() throws {
        let file = try TemporaryFolder().url.appendingPathComponent("token")
        for text in ["", "short", "has a space in the middle", "line\nbreak-0123456789012345"] {
            try? FileManager.default.removeItem(at: file)
            #expect(
                FileManager.default.createFile(
                    atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
            #expect(throws: ServerError.self) { try AccessToken.read(orCreateAt: file) }
        }
    }
}
