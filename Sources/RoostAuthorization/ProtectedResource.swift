package import Foundation

/// The description of a server whose requests can be authorized by an authorization server (a resource server
/// of OAuth 2.1, RFC 9728).
package struct ProtectedResource: Sendable {
    /// The address that clients use, such as `https://notes.example.com/mcp`. It is the audience of tokens.
    package let resource: URL
    /// The authorization server.
    package let issuer: URL
    /// The scopes that a token needs.
    package let scopes: [String]
    /// Checks tokens.
    package let verifier: any AccessTokenVerifier

    /// The path of the metadata. The metadata of a resource with a path is also at this path, followed by the
    /// path of the resource.
    package static let metadataPath = "/.well-known/oauth-protected-resource"

    /// Creates a description.
    ///
    /// - Returns: `nil` if an address is not absolute, has a query or a fragment, or uses HTTP without TLS on
    ///   another computer, or if a scope contains characters that scopes cannot have (RFC 6749).
    package init?(
        resource: URL, issuer: URL, scopes: [String], verifier: any AccessTokenVerifier
    ) {
        let isScope = { (scope: String) in
            !scope.isEmpty
                && scope.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        }
        guard Self.isSecure(resource), Self.isSecure(issuer), scopes.allSatisfy(isScope) else { return nil }
        (self.resource, self.issuer, self.scopes, self.verifier) = (resource, issuer, scopes, verifier)
    }

    /// Returns whether an address is absolute, has neither query nor fragment, and is protected by TLS or on
    /// this computer.
    package static func isSecure(_ url: URL) -> Bool {
        guard let host = url.host, !host.isEmpty, url.query == nil, url.fragment == nil, url.user == nil
        else {
            return false
        }
        let isLocal = ["localhost", "127.0.0.1", "::1"].contains(host)
        return url.scheme == "https" || (url.scheme == "http" && isLocal)
    }

    /// Returns the address of the metadata.
    private func metadataAddress(_ basePath: String) -> String {
        var parts = URLComponents()
        (parts.scheme, parts.host, parts.port) = (resource.scheme, resource.host, resource.port)
        // The server serves the metadata with and without the path of the Model Context Protocol, and a
        // reverse proxy forwards only paths that begin with the base path.
        parts.path = basePath + Self.metadataPath + (resource.path == basePath + "/mcp" ? "/mcp" : "")
        return parts.string ?? basePath + Self.metadataPath
    }

    /// Returns the field `WWW-Authenticate` of an answer that refuses a request (RFC 6750, RFC 9728).
    ///
    /// - Parameters:
    ///   - error: The code of the error; `nil` if the request has no token.
    ///   - basePath: The path under which clients reach the server, without a slash at its end.
    package func challenge(_ error: String? = nil, basePath: String = "") -> String {
        var parts = ["Bearer realm=\"roost\"", "resource_metadata=\"\(metadataAddress(basePath))\""]
        if let error { parts.append("error=\"\(error)\"") }
        if !scopes.isEmpty { parts.append("scope=\"\(scopes.joined(separator: " "))\"") }
        return parts.joined(separator: ", ")
    }
}
