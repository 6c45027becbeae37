import ArgumentParser
import Foundation
import RoostAuthorization
import RoostHTTP

/// The options of a server that accepts the tokens of an authorization server.
struct AuthorizationOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Also accept tokens of this OAuth authorization server; see also --oauth-resource.",
            valueName: "URL"))
    var oauthIssuer: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The address of this server for clients, which tokens must name as their audience.",
            valueName: "URL"))
    var oauthResource: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A scope that tokens of the authorization server need; repeatable.", valueName: "NAME"))
    var oauthScope: [String] = []

    func validate() throws {
        guard (oauthIssuer == nil) == (oauthResource == nil) else {
            throw ValidationError("give both --oauth-issuer and --oauth-resource, or neither")
        }
        guard oauthScope.isEmpty || oauthIssuer != nil else {
            throw ValidationError("--oauth-scope needs --oauth-issuer")
        }
    }

    /// Returns the description of the server for clients of the authorization server; `nil` without one.
    ///
    /// - Throws: `ServerError` if this build cannot check tokens; `ValidationError` if an address is invalid.
    func resource() throws -> ProtectedResource? {
        guard let oauthIssuer, let oauthResource else { return nil }
        #if OAuth
            let verifier = JWTVerifier(
                issuer: oauthIssuer, audience: oauthResource, fetch: KeyDownload.data)
            guard let issuer = URL(string: oauthIssuer), let address = URL(string: oauthResource),
                let resource = ProtectedResource(
                    resource: address, issuer: issuer, scopes: oauthScope, verifier: verifier)
            else {
                throw ValidationError(
                    "--oauth-issuer and --oauth-resource must be https addresses without query, and scopes "
                        + "must have no spaces or quotation marks")
            }
            return resource
        #else
            throw ServerError(
                "cannot accept tokens of \(oauthIssuer) for \(oauthResource): this build of Roost has no "
                    + "OAuth; build it with `swift build -c release --traits OAuth`")
        #endif
    }
}
