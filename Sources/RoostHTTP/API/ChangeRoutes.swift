import Foundation
import HTTPTypes
import Roost
import RoostMCP
import RoostModel

/// The route that follows the changes of the store.
enum ChangeRoutes {
    static let all = [changes]

    /// The time between two reads of the change feed.
    private static let interval = Duration.milliseconds(100)

    private static let changes = Route(
        method: .get, path: "/api/v1/changes", operation: "watchChanges", tag: "Changes",
        summary: "Follow the changes of the store, including those of other processes.",
        details:
            "The events are upserted, removed and clusters, each with an id. After an interruption, send "
            + "the last id as Last-Event-ID. An event `reset` means that the client must read all entries "
            + "again, because the store was restored or the id is too old.",
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
        let batches = try await call.context.handle.use { store in
            let stamp = try await store.storage.snapshot().stamp
            return store.storage.changeBatches(after: cursor ?? stamp.cursor, every: interval)
        }
        return .stream(type: "text/event-stream", watching: call.request) { writer in
            do {
                try await EventStream(writer).send { send in
                    for try await batch in batches {
                        for event in try events(of: batch) { try await send(event) }
                    }
                }
            } catch let error as StorageError where error.code == .notFound || error.remedy == .reopenStore {
                try await writer.event("reset", ["reason": "the store cannot continue from this id"])
            }
        }
    }

    private static func cursor(of call: Call) throws(Problem) -> ChangeCursor? {
        guard let text = call.string("Last-Event-ID"), !text.isEmpty else {
            return call.string("from") == "start" ? .start : nil
        }
        guard let data = Data(base64Encoded: text),
            let cursor = try? JSONDecoder().decode(ChangeCursor.self, from: data)
        else { throw .invalid("the field Last-Event-ID must be the id of an event") }
        return cursor
    }

    /// Returns the changes of a commit as events.
    private static func events(of batch: ChangeBatch) throws -> [EventStream.Event] {
        // With sorted keys, the same change has the same id in every answer.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try batch.changes.map { change in
            var cursor = batch.next
            (cursor.revision, cursor.ordinal) = (change.revision, change.ordinal)
            var data: [String: JSONValue] = ["revision": .integer(Int64(change.revision.rawValue))]
            let name: String
            switch change.kind {
            case .upserted(let id): (name, data["entry"]) = ("upserted", .string(id.text))
            case .removed(let id): (name, data["entry"]) = ("removed", .string(id.text))
            case .clustersReplaced(let run):
                name = "clusters"
                data["run"] = run.map { .string($0.text) }
            }
            let id = try encoder.encode(cursor).base64EncodedString()
            return EventStream.Event(name: name, id: id, data: .object(data))
        }
    }
}
