import Foundation
import RoostMCP
import RoostModel
import ServiceLifecycle

/// A stream of server-sent events that ends when the server is asked to stop. While there are no events, it
/// sends comments, so that proxies keep the connection open and a lost client is noticed.
struct EventStream: Sendable {
    /// An event.
    struct Event: Sendable {
        var name: String?
        var id: String?
        var data: JSONValue
    }

    private enum Part: Sendable {
        case event(Event)
        case heartbeat
    }

    /// The time between two comments.
    private static let heartbeat = Duration.seconds(15)

    private let writer: StreamWriter

    /// Creates a stream.
    init(_ writer: StreamWriter) { self.writer = writer }

    /// Sends events until the producer returns.
    ///
    /// - Parameter produce: Produces the events, and passes each of them to its argument.
    /// - Throws: The error of the producer; an error if the client has gone or reads too slowly.
    func send(
        _ produce:
            @escaping @Sendable (_ send: @escaping @Sendable (Event) throws -> Void) async throws -> Void
    ) async throws {
        let (parts, continuation) = AsyncThrowingStream<Part, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(1_000))
        let writer = writer
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await produce { event in
                            guard case .enqueued = continuation.yield(.event(event)) else {
                                throw ServerError("the client is too slow")
                            }
                        }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                group.addTask {
                    while !Task.isCancelled {
                        try await Task.sleep(for: Self.heartbeat)
                        continuation.yield(.heartbeat)
                    }
                }
                defer { group.cancelAll() }
                try await writer.comment()
                for try await part in parts {
                    switch part {
                    case .event(let event): try await writer.event(event.name, id: event.id, event.data)
                    case .heartbeat: try await writer.comment()
                    }
                }
            }
        }
    }
}
