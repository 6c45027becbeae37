import AsyncHTTPClient
import Foundation
import NIOCore

/// The limits for the body of a response.
///
/// The client's read timeout covers only the pause between two parts of a body. A server that sends one byte
/// per second would never exceed it and could block a caller for days.
struct BodyLimit: Sendable {
    /// The maximum size in bytes.
    var size: Int
    /// The maximum time for a body that arrives more slowly than ``minimumRate``.
    var timeout: Duration
    /// The number of bytes per second that a server must send after ``timeout``, on average. It is far below
    /// the speed of the slowest network on which the operation is useful.
    var minimumRate = 10_000.0

    private let start = ContinuousClock.now

    /// Creates limits; the time begins now.
    init(size: Int, timeout: Duration, minimumRate: Double = 10_000) {
        self.size = size
        self.timeout = timeout
        self.minimumRate = minimumRate
    }

    /// Checks the progress of a download.
    ///
    /// - Parameter received: The number of bytes that have arrived so far.
    /// - Throws: `NIOTooManyBytesError` if the body is too large; `HTTPClientError.readTimeout` if it is too
    ///   slow.
    func check(received: Int) throws {
        guard received <= size else { throw NIOTooManyBytesError(maxBytes: size) }
        let allowed = timeout + .seconds(Double(received) / minimumRate)
        guard ContinuousClock.now - start <= allowed else { throw HTTPClientError.readTimeout }
    }
}

extension HTTPClientResponse.Body {
    /// Returns the complete body.
    ///
    /// - Throws: The errors of ``BodyLimit/check(received:)``; the errors of the connection;
    ///   `CancellationError`.
    func data(within limit: BodyLimit) async throws -> Data {
        var data = Data()
        for try await buffer in self {
            try limit.check(received: data.count + buffer.readableBytes)
            data.append(contentsOf: buffer.readableBytesView)
        }
        return data
    }
}
