/// Checks the tokens that an authorization server has issued.
package protocol AccessTokenVerifier: Sendable {
    /// Returns the scopes of a valid token.
    ///
    /// - Throws: ``TokenRefusal`` if the token is invalid or cannot be checked.
    func scopes(of token: String) async throws -> Set<String>
}

/// The reason why a token is not accepted.
package enum TokenRefusal: Error, Sendable, Hashable {
    /// The token is malformed, has expired, has another issuer or audience, or its signature is wrong.
    case invalid
    /// The keys of the authorization server cannot be read. A repetition can succeed.
    case unavailable
}
