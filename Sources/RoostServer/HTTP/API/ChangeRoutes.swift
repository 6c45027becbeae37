import Foundation
import HTTPTypes
import Roost
import RoostModel

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
        try await call.context.handle.use { store in
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

    /// Returns the changes of a commit as events.
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
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var data = members
        data["revision"] = .integer(Int64(cursor.revision.rawValue))
        return EventStream.Event(
            name: name, id: try encoder.encode(cursor).base64EncodedString(), data: .object(data))
    }
}
