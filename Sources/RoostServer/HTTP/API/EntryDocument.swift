import Foundation
import HTTPTypes
import Roost
import RoostModel

enum EntryDocument {
    /// Returns the members of an entry without its vectors.
    static func json(_ entry: Entry, revision: Revision?, cluster: Cluster.ID?) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(entry.id.text), "content": .string(entry.content),
            "metadata": .object(entry.metadata), "tags": .array(entry.tags.map { .string($0) }),
            "createdAt": .string(DateText.string(from: entry.createdAt)),
            "updatedAt": .string(DateText.string(from: entry.updatedAt)),
        ]
        members["title"] = entry.title.map { .string($0) }
        members["source"] = entry.source.map { .string($0) }
        members["revision"] = revision.map { .integer(Int64($0.rawValue)) }
        members["cluster"] = cluster.map { .string($0.text) }
        return .object(members)
    }

    /// Returns the JSON forms of entries with their revisions and clusters.
    static func json(_ entries: [Entry], in snapshot: any StorageSnapshot) async throws -> [JSONValue] {
        let ids = entries.map(\.id)
        let revisions = try await snapshot.revisions(of: ids)
        let assignments = try await snapshot.assignments(of: ids)
        let clusters = Dictionary(
            assignments.map { ($0.entry, $0.cluster) }, uniquingKeysWith: { first, _ in first })
        return entries.map {
            json($0, revision: revisions[$0.id], cluster: clusters[$0.id].flatMap(\.self))
        }
    }

    /// Returns an answer with an entry and its ETag.
    static func reply(
        _ entry: Entry, in snapshot: any StorageSnapshot, _ status: Reply.Status = .ok
    ) async throws -> Reply {
        let value = try await json([entry], in: snapshot)[0]
        let revision = Revision(rawValue: UInt64(value["revision"]?.integer ?? 0))
        return .json(value, status).with("ETag", EntryTag.text(revision, at: snapshot.stamp))
    }

    static let schema = Schema.object(
        [
            "id": Schema.id("The id."), "content": Schema.string("The text."),
            "title": Schema.string("The title."), "source": Schema.string("The id of the source."),
            "metadata": Schema.metadata,
            "tags": Schema.array(of: Schema.string("A tag."), "The tags."),
            "cluster": Schema.id("The id of the cluster to which the entry belongs."),
            "revision": Schema.integer("The revision of the latest change."),
            "createdAt": Schema.time("When the entry was created."),
            "updatedAt": Schema.time("When the entry was changed."),
        ], required: ["id", "content", "metadata", "tags", "createdAt", "updatedAt"], isOpen: true,
        "An entry.")
}
