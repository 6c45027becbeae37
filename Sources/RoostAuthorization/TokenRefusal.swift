/// The reason why a token is not accepted.
package enum TokenRefusal: Error, Sendable, Hashable {
    /// The token is malformed, has expired, has another issuer or audience, or its signature is wrong.
    case invalid
    /// The keys of the authorization server cannot be read. A repetition can succeed.
    case unavailable
}
