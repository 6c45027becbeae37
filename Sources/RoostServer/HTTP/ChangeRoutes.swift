import Foundation
import HTTPTypes
import Roost
import RoostFiles
import RoostModel
import ServiceLifecycle

enum ChangeRoutes {
    static let all = [changes]

    /// The time between two reads of the change feed.
    private static let interval = Duration.milliseconds(100)
    /// The time after an event `reset`. It limits how often a client reads all entries of a store that can
    /// never continue from a position.
    private static let resetPause = Duration.seconds(1)

    private static let changes = Route(
        method: .get, path: "/api/v1/changes", operation: "watchChanges", tag: "Changes",
        summary: "Follow the changes of the store, including those of other processes.",
        details:
            "The events are upserted, removed and clusters, each with an id. After an interruption, send "
            + "the last id as Last-Event-ID, which takes precedence over `from`. A stream that begins now "
            + "starts with an event `position`, whose id is the current position. An event `reset` means "
            + "that the client must read all entries again, because the store was restored or the id is too "
            + "old; the stream continues from its id.",
        isStream: true,
        parameters: [
            .query(
                "from",
                Schema.choice(["start", "now"], "Whether to begin with all entries; now by default.")),
            .header("Last-Event-ID", Schema.string("The id of the last event that the client has seen.")),
        ],
        answers: [Route.Answer(200, "The changes.", .events)]
    ) { call in
        let cursor = try cursor(of: call)
        // Reading the first snapshot reports errors before the answer begins.
        let first = try await position(of: call, cursor)
        return .stream(type: "text/event-stream", watching: call.request) { writer in
            try await EventStream(writer).send { send in
                // Without an id, a client that loses the connection before the first change would miss
                // the changes until it has connected again.
                if cursor == nil { try await send(event("position", at: first.cursor)) }
                try await follow(first, of: call, send)
            }
        }
    }

    /// A position in the changes of a store, and the changes after it.
    private struct Position {
        var cursor: ChangeCursor
        var batches: ChangeBatches
    }

    /// Returns the position of a cursor; without one, the present end of the changes.
    private static func position(of call: Call, _ cursor: ChangeCursor?) async throws -> Position {
        try await call.context.operations.handle.use { store in
            let present = try await store.storage.snapshot().stamp.cursor
            let cursor = cursor ?? present
            return Position(
                cursor: cursor, batches: store.storage.changeBatches(after: cursor, every: interval))
        }
    }

    /// Sends the changes after a position. If the store cannot continue from it, sends `reset` with the id of
    /// the present position, and continues from there.
    ///
    /// If the stream ended instead, browsers would connect again with the id that cannot be continued.
    private static func follow(
        _ position: Position, of call: Call, _ send: (EventStream.Event) async throws -> Void
    ) async throws {
        var position = position
        while true {
            do {
                for try await batch in position.batches {
                    for event in try events(of: batch) { try await send(event) }
                }
                return
            } catch let error as StorageError where error.code == .notFound || error.remedy == .reopenStore {
                // The position is determined before the client reads the entries, so that it misses none.
                position = try await Self.position(of: call, nil)
                let reason: JSONValue = "the store cannot continue from this id"
                try await send(event("reset", at: position.cursor, ["reason": reason]))
                try await Task.sleep(for: resetPause)
            }
        }
    }

    private static func cursor(of call: Call) throws(Problem) -> ChangeCursor? {
        guard let text = call.string("Last-Event-ID"), !text.isEmpty else {
            return call.string("from") == "start" ? .start : nil
        }
        guard let data = Data(base64Encoded: text),
            let cursor = try? JSONDecoder().decode(ChangeCursor.self, from: data)
        else { throw .invalid("the Last-Event-ID header must be the id of an event") }
        return cursor
    }

    private static func events(of batch: ChangeBatch) throws -> [EventStream.Event] {
        try batch.changes.map { change in
            var cursor = batch.next
            (cursor.revision, cursor.ordinal) = (change.revision, change.ordinal)
            switch change.kind {
            case .upserted(let id): return try event("upserted", at: cursor, ["entry": .string(id.text)])
            case .removed(let id): return try event("removed", at: cursor, ["entry": .string(id.text)])
            case .clustersReplaced(let run):
                let members = run.map { ["run": JSONValue.string($0.text)] } ?? [:]
                return try event("clusters", at: cursor, members)
            }
        }
    }

    /// Returns an event whose id is a position.
    private static func event(
        _ name: String, at cursor: ChangeCursor, _ members: [String: JSONValue] = [:]
    ) throws -> EventStream.Event {
        // With sorted keys, the same change has the same id in every answer.
        var data = members
        data["revision"] = .integer(Int64(cursor.revision.rawValue))
        return EventStream.Event(
            name: name, id: try JSONTextEncoder().encode(cursor).base64EncodedString(), data: .object(data))
    }
}

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
