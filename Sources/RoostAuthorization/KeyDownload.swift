#if OAuth
    import AsyncHTTPClient
    package import Foundation
    import NIOCore

    /// Reads the metadata and the keys of an authorization server.
    package enum KeyDownload {
        private static let maximumBytes = 1 << 20
        private static let timeout = TimeAmount.seconds(10)

        /// The status of the answer is not 200.
        private struct UnexpectedStatus: Error {}

        /// Returns the document at an address. Redirects are not followed, because the address of an issuer
        /// is the reason to trust its keys.
        ///
        /// - Throws: An error if the document cannot be read within ten seconds or is larger than 1 MiB.
        @Sendable
        package static func data(from url: URL) async throws -> Data {
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .disallow
            let client = HTTPClient(configuration: configuration)
            let result: Result<Data, any Error>
            do {
                var request = HTTPClientRequest(url: url.absoluteString)
                request.headers.add(name: "Accept", value: "application/json")
                let response = try await client.execute(request, timeout: timeout)
                guard response.status == .ok else { throw UnexpectedStatus() }
                let body = try await response.body.collect(upTo: maximumBytes)
                result = .success(Data(body.readableBytesView))
            } catch {
                result = .failure(error)
            }
            try? await client.shutdown()
            return try result.get()
        }
    }
#endif
