/// The reason why a server gave no answer, or no complete one.
package struct NetworkFailure: Error, Hashable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The call has an invalid URL or header.
        case invalidCall
        /// The host has no address.
        case unknownHost
        /// No connection could be made.
        case refused
        /// The server's certificate is invalid, or the server cannot encrypt.
        case insecure
        /// The connection ended during the TLS handshake.
        case handshake
        /// The proxy requires a user and a password, or rejected them.
        case proxyAuthentication
        /// The proxy does not connect to the server.
        case proxyRefused
        /// No connection was made in time.
        case connectionTimedOut
        /// The head of the answer or a part of its body took too long.
        case timedOut
        /// The connection was closed before the end of the answer.
        case closed
        /// The body is larger than the limit.
        case tooLarge
        /// The compressed body is damaged.
        case badEncoding
        /// The server redirected too often.
        case tooManyRedirects
        /// libcurl cannot be loaded.
        case missingLibrary
        /// Another failure.
        case other
    }

    package var code: Code
    /// A description for messages, without texts of the call or the answer.
    package var description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
