import Foundation
import NIOHTTP1
import RoostAuthorization
import RoostMCP
import RoostModel
import Testing

@testable import RoostHTTP

/// Tests of a server that a reverse proxy offers under a path.
struct BasePathTests {
    @Test(arguments: [
        ("/roost", "/roost"), ("/roost/", "/roost"), ("/notes/v1.0", "/notes/v1.0"), ("/", ""),
    ])
    func `a path without a slash at its end is the base path`(text: String, path: String) throws {
        #expect(try #require(BasePath(text)).text == path)
    }

    @Test(arguments: ["", "roost", "//", "/a//b", "/..", "/a/./b", "/a?b", "/a#b", "/a b", "/ä", "/a%20b"])
    func `other texts are no base path`(text: String) { #expect(BasePath(text) == nil) }

    @Test(arguments: [
        ("/roost/docs", "/docs"), ("/roost", "/"), ("/roost/", "/"), ("/roostery/docs", "/roostery/docs"),
        ("/docs", "/docs"), ("/roost/roost", "/roost"), ("/roost\u{301}/docs", "/roost\u{301}/docs"),
        ("/.well-known/oauth-protected-resource/roost/mcp", "/.well-known/oauth-protected-resource/mcp"),
        ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"),
    ])
    func `the operation follows the base path`(path: String, operation: String) throws {
        let base = try #require(BasePath("/roost"))
        #expect(base.removed(from: path) == operation)
        #expect(BasePath.root.removed(from: path) == path)
    }

    @Test(arguments: [
        ("/api", "/api"), ("/v1/notes", "/v1"), ("/docs/", "/docs"), ("/mcp", "/mcp"), ("/embed", "/embed"),
        ("/.well-known/roost", "/.well-known"), ("/roost", ""), ("/apis", ""), ("/roost/api", ""), ("/", ""),
    ])
    func `a base path must differ from the paths of operations`(text: String, beginning: String) throws {
        #expect(try #require(BasePath(text)).reservedBeginning ?? "" == beginning)
    }

    @Test(arguments: [
        "//docs", "/roost//docs", "//roost/docs", "/roost/../docs", "/roost/%2e%2e/docs", "/%72oost/docs",
        "/roost%2Fdocs", "/roost/roost/docs", "/ROOST/docs", "//example.com", "/roost//example.com",
        "/roost/..", "/roost\\docs", "/.well-known/oauth-protected-resource/roost/../docs",
    ])
    func `other spellings of paths name no operation, and lead to no other host`(path: String) async throws {
        try await HTTPHarness.run(Self.settings()) { harness in
            let connection = try RawConnection(port: harness.port)
            try await connection.write(
                "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let answer = try await connection.readToEnd().lowercased()
            #expect(answer.hasPrefix("http/1.1 404") || answer.hasPrefix("http/1.1 400"), "\(answer)")
            #expect(!answer.contains("location:"), "\(answer)")
        }
    }

    private static func settings() throws -> ServerSettings {
        let base = try #require(BasePath("/roost"))
        return HTTPHarness.settings { $0.basePath = base }
    }

    @Test(arguments: ["/roost", ""])
    func `answers have the base path, whether or not a proxy removes it`(prefix: String) async throws {
        try await HTTPHarness.run(Self.settings()) { harness in
            let created = try await harness.send(
                .POST, "\(prefix)/api/v1/entries", ["content": "swifts above the roof"])
            #expect(created.status == 201)
            let location = try #require(created.headers["Location"].first)
            #expect(location.hasPrefix("/roost/api/v1/entries/"))
            let entry = try await harness.send(.GET, location).json
            #expect(entry["content"] == "swifts above the roof")

            let job = try await harness.send(.POST, "\(prefix)/api/v1/clusters/recluster", [:])
            #expect(job.status == 202)
            #expect(job.headers["Location"].first?.hasPrefix("/roost/api/v1/jobs/") == true)

            let document = try await harness.send(.GET, "\(prefix)/openapi.json").json
            #expect(document["servers"] == [["url": "/roost"]])
            #expect(document["paths"]?["/api/v1/entries"] != nil)
            let page = try await harness.send(.GET, "\(prefix)/docs").text
            #expect(page.contains("href=\"/roost/openapi.json\""))
            #expect(page.contains("<code>/roost/api/v1/entries</code>"))

            let unknown = try await harness.send(.GET, "\(prefix)/nothing")
            #expect(unknown.status == 404)
            #expect(unknown.json["detail"]?.asString?.contains("/roost/openapi.json") == true)
            // Problems of compatible operations keep their form.
            let embed = try await harness.send(.POST, "\(prefix)/api/embed", ["model": "x", "input": 5])
            #expect(embed.json["error"]?.asString != nil, "\(embed.text)")
        }
    }

    @Test func `the start page leads to the page under the base path`() async throws {
        try await HTTPHarness.run(Self.settings()) { harness in
            for path in ["/", "/roost", "/roost/"] {
                let connection = try RawConnection(port: harness.port)
                try await connection.write(
                    "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let answer = try await connection.readToEnd().lowercased()
                #expect(answer.contains("location: /roost/docs\r\n"), "\(answer)")
            }
        }
    }

    private struct Verifier: AccessTokenVerifier {
        func scopes(of token: String) throws -> Set<String> { throw TokenRefusal.invalid }
    }

    @Test func `the metadata of the authorization are below the base path`() async throws {
        let resource = ProtectedResource(
            resource: try #require(URL(string: "http://localhost:4400/roost/mcp")),
            issuer: try #require(URL(string: "https://login.example.com")), scopes: [], verifier: Verifier())
        let required = try #require(resource)
        var settings = try Self.settings()
        settings.authorization = required
        let metadata = "/roost/.well-known/oauth-protected-resource/mcp"
        try await HTTPHarness.run(settings) { [settings] harness in
            let refused = try await harness.send(.GET, "/roost/api/v1/status", nil, ["Authorization": ""])
            #expect(refused.status == 401)
            let challenge = refused.headers["WWW-Authenticate"].first ?? ""
            #expect(challenge.contains("resource_metadata=\"http://localhost:4400\(metadata)\""))
            for path in [metadata, "/.well-known/oauth-protected-resource/roost/mcp"] {
                let found = try await harness.send(.GET, path, nil, ["Authorization": ""])
                #expect(found.json["resource"]?.asString == settings.authorization?.resource.absoluteString)
            }
        }
    }
}
