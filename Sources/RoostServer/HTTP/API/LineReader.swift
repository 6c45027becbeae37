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
    init(_ body: RequestBody, _ limits: ServerSettings.Limits) {
        (iterator, self.limits) = (body.makeAsyncIterator(), limits)
    }

    /// Returns the next line without its line feed; `nil` after the last one.
    ///
    /// - Throws: ``Problem`` if the line is too long. A client that sends nothing is disconnected by the
    ///   server's limit on idle connections.
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
            if let buffer = try await iterator.next() {
                waiting += buffer.readableBytesView
            } else {
                isFinished = true
            }
        }
    }
}
