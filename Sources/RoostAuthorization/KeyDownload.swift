#if OAuth
    package import Foundation
    import HTTPTypes
    import RoostNetwork

    /// Reads the metadata and the keys of an authorization server.
    package enum KeyDownload {
        private static let maximumBytes = 1 << 20
        private static let timeout = Duration.seconds(10)

        /// The status of the answer is not 200.
        private struct UnexpectedStatus: Error {}

        /// Returns the document at an address. Redirects are not followed, because the address of an issuer
        /// is the reason to trust its keys.
        ///
        /// - Throws: An error if the document cannot be read within ten seconds or is larger than 1 MiB.
        @Sendable
        package static func data(from url: URL) async throws -> Data {
            let answer = try await HTTPClient(pauseTimeout: timeout).send(
                HTTPCall(.get, url.absoluteString, headers: [.accept: "application/json"]), timeout: timeout,
                limit: BodyLimit(size: maximumBytes, timeout: timeout))
            guard answer.status == 200 else { throw UnexpectedStatus() }
            return answer.body
        }
    }
#endif
