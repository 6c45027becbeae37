/// The limits for the body of an answer.
///
/// A limit on the pause between two parts of a body is not enough: a server that sends one byte per second
/// would never exceed it and could block a caller for days.
package struct BodyLimit: Sendable {
    /// The maximum size in bytes, without compression.
    package var size: Int
    /// The maximum time for a body that arrives more slowly than ``minimumRate``.
    package var timeout: Duration
    /// The number of bytes per second that a server must send after ``timeout``, on average. It is far below
    /// the speed of the slowest network on which the operation is useful.
    package var minimumRate: Double

    package init(size: Int, timeout: Duration, minimumRate: Double = 10_000) {
        self.size = size
        self.timeout = timeout
        self.minimumRate = minimumRate
    }

    /// Checks the progress of a body.
    func check(received: Int, after duration: Duration) throws(NetworkFailure) {
        guard received <= size else {
            throw NetworkFailure(.tooLarge, "the response is larger than \(size) bytes")
        }
        guard duration <= timeout + .seconds(Double(received) / minimumRate) else {
            throw NetworkFailure(.timedOut, "the server is too slow")
        }
    }
}
