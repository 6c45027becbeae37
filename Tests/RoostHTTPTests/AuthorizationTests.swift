import Foundation
import NIOHTTP1
import RoostAuthorization
import RoostMCP
import RoostModel
import Testing

@testable import RoostHTTP

struct AuthorizationTests {
    /// Accepts one token.
    private struct Verifier: AccessTokenVerifier {
        func scopes(of token: String) throws -> Set<String> {
            switch token {
            case "valid": ["notes", "other"]
            case "limited": ["other"]
            case "unchecked": throw TokenRefusal.unavailable
            default: throw TokenRefusal.invalid
            }
        }
    }

    private static let metadata = "http://localhost:4400/.well-known/oauth-protected-resource/mcp"

    private static func settings() throws -> ServerSettings {
        let resource = ProtectedResource(
            resource: try #require(URL(string: "http://localhost:4400/mcp")),
            issuer: try #require(URL(string: "https://login.example.com")), scopes: ["notes"],
            verifier: Verifier())
        let required = try #require(resource)
        return HTTPHarness.settings { $0.authorization = required }
    }

    @Test func `tokens of the authorization server and the token of the server are accepted`() async throws {
        try await HTTPHarness.run(Self.settings()) { harness in
            for token in ["valid", HTTPHarness.token] {
                let answer = try await harness.send(
                    .GET, "/api/v1/status", nil, ["Authorization": "Bearer \(token)"])
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `other tokens are refused with the address of the metadata`() async throws {
        let start = "Bearer realm=\"roost\", resource_metadata=\"\(Self.metadata)\""
        let cases = [
            ("", 401, start + ", scope=\"notes\""),
            ("Bearer wrong", 401, start + ", error=\"invalid_token\", scope=\"notes\""),
            ("Basic valid", 401, start + ", scope=\"notes\""),
            ("Bearer limited", 403, start + ", error=\"insufficient_scope\", scope=\"notes\""),
        ]
        try await HTTPHarness.run(Self.settings()) { harness in
            for (field, status, challenge) in cases {
                let answer = try await harness.send(.GET, "/api/v1/status", nil, ["Authorization": field])
                #expect(answer.status == status, "\(field)")
                #expect(answer.headers["WWW-Authenticate"] == [challenge], "\(field)")
            }
            let unchecked = try await harness.send(
                .GET, "/api/v1/status", nil, ["Authorization": "Bearer unchecked"])
            #expect(unchecked.status == 503)
            #expect(unchecked.headers["Retry-After"] == ["60"])
        }
    }

    @Test func `the metadata name the authorization server, if there is one`() async throws {
        let paths = [ProtectedResource.metadataPath, ProtectedResource.metadataPath + "/mcp"]
        try await HTTPHarness.run(Self.settings()) { harness in
            for path in paths {
                let metadata = try await harness.send(.GET, path, nil, ["Authorization": ""]).json
                #expect(metadata["resource"] == "http://localhost:4400/mcp")
                #expect(metadata["authorization_servers"] == ["https://login.example.com"])
                #expect(metadata["scopes_supported"] == ["notes"])
            }
        }
        try await HTTPHarness.run { harness in
            for path in paths {
                let answer = try await harness.send(.GET, path)
                #expect(answer.status == 404)
            }
        }
    }
}
