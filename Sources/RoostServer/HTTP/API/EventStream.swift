import Foundation
import RoostFiles
import RoostModel
import ServiceLifecycle

/// A stream of server-sent events that ends when the server is asked to stop. While there are no events, it
/// sends comments, so that proxies keep the connection open and a lost client is noticed.
struct EventStream: Sendable {
    struct Event: Sendable {
        var name: String?
        var id: String?
        var data: JSONValue
    }

    /// The time between two comments.
    private static let heartbeat = Duration.seconds(15)

    private let writer: StreamWriter

    init(_ writer: StreamWriter) { self.writer = writer }

    /// Sends events until the producer returns, or until the server is asked to stop.
    ///
    /// The producer waits for each event to be written, so that it is as fast as the client, and the memory
    /// of a stream does not depend on the number of events.
    ///
    /// - Parameters:
    ///   - last: The event that is sent if the server is asked to stop; `nil` for none.
    /// - Throws: The error of the producer; an error if the client has gone.
    func send(
        endingWith last: Event? = nil,
        _ produce:
            @escaping @Sendable (_ send: @escaping @Sendable (Event) async throws -> Void) async throws
            -> Void
    ) async throws {
        // A comment must not be written in the middle of an event.
        let (writer, turns) = (writer, TaskQueue())
        do {
            try await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    defer { group.cancelAll() }
                    try await writer.comment()
                    group.addTask {
                        try await produce { event in
                            try await turns.run {
                                try await writer.event(event.name, id: event.id, event.data)
                            }
                        }
                    }
                    group.addTask {
                        while true {
                            try await Task.sleep(for: Self.heartbeat)
                            try await turns.run { try await writer.comment() }
                        }
                    }
                    // Comments end only with an error, which means that the client has gone.
                    try await group.next()
                }
            }
        } catch is CancellationError where !Task.isCancelled {
            // The server was asked to stop, and the stream ends like a complete one.
            if let last { try await writer.event(last.name, id: last.id, last.data) }
        }
    }

    /// The number of notifications that wait for the client. They report progress, so the latest ones matter.
    private static let maximumNotifications = 1_000

    /// Sends notifications until the function returns, and then its result, as events `message`.
    ///
    /// - Parameters:
    ///   - respond: Passes notifications to its argument, which does not wait for the client. If the client
    ///     reads too slowly, it misses the oldest ones.
    /// - Throws: The error of the function; an error if the client has gone.
    func sendMessages(
        endingWith last: JSONValue,
        _ respond:
            @escaping @Sendable (_ notify: @escaping @Sendable (JSONValue) -> Void) async throws -> JSONValue
    ) async throws {
        try await send(endingWith: Event(name: "message", data: last)) { send in
            let (notifications, continuation) = AsyncStream<JSONValue>.makeStream(
                bufferingPolicy: .bufferingNewest(Self.maximumNotifications))
            async let sending: Void = {
                for await message in notifications { try await send(Event(name: "message", data: message)) }
            }()
            let response = try await respond { continuation.yield($0) }
            continuation.finish()
            try await sending
            try await send(Event(name: "message", data: response))
        }
    }
}
