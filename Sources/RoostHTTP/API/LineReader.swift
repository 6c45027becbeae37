import Foundation
import Hummingbird
import NIOCore

/// Splits a streamed body into lines.
struct LineReader {
    private var iterator: RequestBody.AsyncIterator
    private var waiting: [UInt8] = []
    private var start = 0
    private var isFinished = false
    /// The number of lines that were read, including one that was too long.
    private(set) var number = 0
    private let limits: ServerSettings.Limits
    /// The time that was spent waiting for the present part of the body, and the number of its bytes that
    /// have arrived.
    private var (waited, arrived) = (Duration.zero, 0)

    /// The size in bytes of the parts of the body that must each arrive within
    /// ``ServerSettings/Limits/transferTime``. Answers have the same limit.
    private static let partBytes = 64 << 10

    /// Creates a reader.
    init(_ body: RequestBody, _ limits: ServerSettings.Limits) {
        (iterator, self.limits) = (body.makeAsyncIterator(), limits)
    }

    /// Returns the next line without its line feed; `nil` after the last one.
    ///
    /// - Throws: ``Problem`` if the line is too long, or if the body arrives too slowly. A client that sends
    ///   nothing at all is disconnected by the server's limit on idle connections.
    @concurrent
    mutating func next() async throws -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = waiting[searched...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                number += 1
                return waiting[start..<end]
            }
            guard waiting.count - start <= limits.lineBytes else {
                number += 1
                throw Problem(
                    .contentTooLarge, "lineTooLong",
                    "line \(number) is longer than \(limits.lineBytes) bytes")
            }
            guard !isFinished else {
                guard start < waiting.count else { return nil }
                defer { start = waiting.count }
                number += 1
                return waiting[start...]
            }
            waiting.removeSubrange(..<start)
            start = 0
            searched = waiting.count
            let begin = ContinuousClock.now
            if let buffer = try await iterator.next() {
                try check(buffer.readableBytes, after: ContinuousClock.now - begin)
                waiting += buffer.readableBytesView
            } else {
                isFinished = true
            }
        }
    }

    /// Checks that the body arrives fast enough.
    private mutating func check(_ count: Int, after duration: Duration) throws(Problem) {
        waited += duration
        arrived += count
        guard arrived < Self.partBytes else {
            (waited, arrived) = (.zero, 0)
            return
        }
        guard waited <= limits.transferTime else {
            throw Problem(.requestTimeout, "timeout", "the body arrives too slowly")
        }
    }
}
