import Foundation
import Testing

@testable import RoostAuthorization

struct ProtectedResourceTests {
    private struct Verifier: AccessTokenVerifier {
        func scopes(of token: String) -> Set<String> { [] }
    }

    private static func resource(
        _ resource: String, _ issuer: String = "https://login.example.com", scopes: [String] = []
    ) throws -> ProtectedResource? {
        ProtectedResource(
            resource: try #require(URL(string: resource)), issuer: try #require(URL(string: issuer)),
            scopes: scopes, verifier: Verifier())
    }

    @Test(arguments: [
        (
            "https://notes.example.com/mcp",
            "https://notes.example.com/.well-known/oauth-protected-resource/mcp"
        ),
        (
            "https://notes.example.com:8443",
            "https://notes.example.com:8443/.well-known/oauth-protected-resource"
        ),
        ("http://127.0.0.1:4400/mcp", "http://127.0.0.1:4400/.well-known/oauth-protected-resource/mcp"),
    ])
    func `the challenge names the address of the metadata`(resource: String, metadata: String) throws {
        let found = try #require(try Self.resource(resource, scopes: ["notes"]))
        #expect(
            found.challenge("invalid_token")
                == "Bearer realm=\"roost\", resource_metadata=\"\(metadata)\", error=\"invalid_token\", "
                + "scope=\"notes\"")
    }

    @Test(arguments: [
        ("https://notes.example.com/roost/mcp", "/roost/.well-known/oauth-protected-resource/mcp"),
        ("https://notes.example.com/roost", "/roost/.well-known/oauth-protected-resource"),
    ])
    func `the address of the metadata begins with the base path`(resource: String, path: String) throws {
        let found = try #require(try Self.resource(resource))
        #expect(
            found.challenge(basePath: "/roost")
                == "Bearer realm=\"roost\", resource_metadata=\"https://notes.example.com\(path)\"")
    }

    @Test func `addresses without TLS and invalid scopes are refused`() throws {
        for text in ["http://notes.example.com/mcp", "notes.example.com", "https://x.org/?a=b", "file:///x"] {
            #expect(try Self.resource(text) == nil, "\(text)")
        }
        #expect(try Self.resource("https://notes.example.com", "http://login.example.com") == nil)
        for scope in ["", "a b", "a\"b", "ä"] {
            #expect(try Self.resource("https://notes.example.com", scopes: [scope]) == nil, "\(scope)")
        }
    }
}
