/// Checks the tokens that an authorization server has issued.
package protocol AccessTokenVerifier: Sendable {
    /// Returns the scopes of a valid token.
    ///
    /// - Throws: ``TokenRefusal`` if the token is invalid or cannot be checked.
    func scopes(of token: String) async throws -> Set<String>
}
