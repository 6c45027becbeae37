import Foundation
import HTTPTypes
import Roost
import RoostModel

enum EntryRoutes {
    private static let path = "/api/v1/entries/{id}"
    private static let tag = "Entries"
    private static let maximumText = 8 << 20
    private static let maximumPage = 1_000
    private static let id = Parameter.path("id", Schema.id("The id of the entry."))
    private static let entry = Route.Body.json(Schema.reference("Entry"))
    private static let tags = Schema.array(
        of: Schema.string("A tag in one line.", minimum: 1, maximum: 1_000), "Tags.", maximum: 64)
    private static let etag = ["ETag": "The revision of the entry."]

    static let all = [create, list, removeMatching, get, change, remove]

    private static let create = Route(
        method: .post, path: "/api/v1/entries", operation: "createEntry", tag: tag,
        summary: "Store a text as a new entry.",
        details: "If an entry that was added already has an equal text, it gets "
            + "the tags and metadata and is returned with the status 200. With a key, the text replaces that "
            + "of the entry with this key, if there is one.",
        effect: .writes,
        body: .json(
            Schema.object(
                named: "EntryDraft",
                [
                    "content": Schema.string("The text.", minimum: 1, maximum: maximumText), "tags": tags,
                    "key": Schema.string("The client's own id of the text.", minimum: 1, maximum: 1_000),
                    "metadata": Schema.metadata,
                ], required: ["content"])),
        answers: [
            Route.Answer(
                201, "The entry was created.", entry,
                headers: etag.merging(["Location": "The address of the entry."]) { $1 }),
            Route.Answer(200, "The entry existed.", entry, headers: etag),
        ]
    ) { call in
        try await call.context.handle.use { store in
            let content = try text("content", of: call.body) ?? ""
            let tags = try EntryValues.newTags(in: call.body, "tags")
            let metadata = try EntryValues.metadata(in: call.body)
            let added =
                if let key = call.body["key"]?.asString {
                    try await store.add(content, key: key, tags: tags, metadata: metadata)
                } else {
                    try await store.add(content, tags: tags, metadata: metadata)
                }
            let snapshot = try await store.storage.snapshot()
            let found = try await entry(added.id, in: snapshot)
            return try await EntryDocument.reply(found, in: snapshot, added.isNew ? .created : .ok)
                .with("Location", "/api/v1/entries/\(added.id.text)")
        }
    }

    private static let list = Route(
        method: .get, path: "/api/v1/entries", operation: "listEntries", tag: tag,
        summary: "List entries, oldest first.",
        parameters: EntrySelection.parameters + PageCursor.parameters(maximum: maximumPage, default: 100),
        answers: [
            Route.Answer(
                200, "One page of entries.",
                .json(
                    Schema.object(
                        named: "EntryPage",
                        [
                            "entries": Schema.array(of: Schema.reference("Entry"), "The entries."),
                            "nextCursor": PageCursor.property,
                        ], required: ["entries"], isOpen: true)))
        ]
    ) { call in
        try await call.context.handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let filter = try await EntrySelection.filter(.object(call.values), in: snapshot)
            let row = try PageCursor.position(of: call, at: snapshot.stamp).map(UInt32.init)
            let page = try await snapshot.entries(
                after: row, limit: call.integer("limit", default: 100), matching: filter)
            var members: [String: JSONValue] = [
                "entries": .array(try await EntryDocument.json(page.entries, in: snapshot))
            ]
            if let next = page.next {
                members["nextCursor"] = PageCursor.text(Int(next), of: call, at: snapshot.stamp)
            }
            return .json(.object(members))
        }
    }

    private static let removeMatching = Route(
        method: .delete, path: "/api/v1/entries", operation: "removeEntries", tag: tag,
        summary: "Remove the entries that match all of the parameters.",
        details: "At least one parameter is required. With dryRun=true, the entries are only counted. Files "
            + "are not deleted.",
        effect: .writes,
        parameters: EntrySelection.parameters + [
            .query("dryRun", Schema.flag("Whether to count the entries without removing them."))
        ],
        answers: [
            Route.Answer(
                200, "The number of entries.",
                .json(
                    Schema.object(
                        named: "EntryRemoval",
                        [
                            "removed": Schema.integer("The number of removed entries."),
                            "matching": Schema.integer("The number of entries that match."),
                        ], required: ["removed", "matching"], isOpen: true)))
        ]
    ) { call in
        try await call.context.handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let filter = try await EntrySelection.filter(.object(call.values), in: snapshot)
            guard !filter.matchesAll else {
                throw Problem.invalid("at least one parameter must select entries; none does")
            }
            if call.flag("dryRun") {
                return .json(["removed": 0, "matching": .count(try await store.count(matching: filter))])
            }
            let removed = try await store.remove(matching: filter)
            return .json(["removed": .count(removed), "matching": .count(removed)])
        }
    }

    private static let get = Route(
        method: .get, path: path, operation: "getEntry", tag: tag, summary: "Return an entry.",
        parameters: [id], answers: [Route.Answer(200, "The entry.", entry, headers: etag)]
    ) { call in
        let id = try call.id("id", of: "entry")
        return try await call.context.handle.use { store in
            let snapshot = try await store.storage.snapshot()
            return try await EntryDocument.reply(try await entry(id, in: snapshot), in: snapshot)
        }
    }

    private static let change = Route(
        method: .patch, path: path, operation: "changeEntry", tag: tag,
        summary: "Change the text, the tags or the metadata of an entry.",
        details: "All changes are made in one step. A metadata value of null removes the key. Case does not "
            + "matter in tags: a tag that the entry has keeps its spelling, and is removed in any spelling.",
        effect: .writes, parameters: [id, EntryTag.ifMatch],
        body: .json(
            Schema.object(
                named: "EntryChanges",
                [
                    "content": Schema.string("The new text.", minimum: 1, maximum: maximumText),
                    "addTags": tags, "removeTags": tags,
                    "metadata": Schema.metadata,
                ])),
        answers: [Route.Answer(200, "The changed entry.", entry, headers: etag)]
    ) { call in
        let id = try call.id("id", of: "entry")
        var changes = EntryChanges()
        changes.content = try text("content", of: call.body)
        changes.addedTags = Set(try EntryValues.newTags(in: call.body, "addTags"))
        changes.removedTags = Set(call.body.strings("removeTags"))
        changes.metadata = try EntryValues.metadata(in: call.body)
        return try await call.context.handle.use { [changes] store in
            let current = try await store.storage.snapshot()
            let expected = try await EntryTag.revision(of: id, for: call, in: current)
            try await EntryValues.check(changes.metadata, changing: id, in: current)
            return try await matching(expected) {
                let changed = try await store.update(id, changes, expecting: expected)
                let snapshot = try await store.storage.snapshot()
                return try await EntryDocument.reply(changed, in: snapshot)
            }
        }
    }

    private static let remove = Route(
        method: .delete, path: path, operation: "removeEntry", tag: tag, summary: "Remove an entry.",
        effect: .writes,
        parameters: [id, EntryTag.ifMatch],
        answers: [Route.Answer(204, "The entry was removed.")]
    ) { call in
        let id = try call.id("id", of: "entry")
        return try await call.context.handle.use { store in
            let expected = try await EntryTag.revision(
                of: id, for: call, in: try await store.storage.snapshot())
            return try await matching(expected) {
                guard try await store.remove(id, expecting: expected) == 1 else {
                    throw Problem.notFound("no entry has the id \(id.text)")
                }
                return .empty()
            }
        }
    }

    // MARK: Parts of requests

    /// Returns an entry of a snapshot.
    ///
    /// - Throws: ``Problem`` with the status 404.
    static func entry(_ id: Entry.ID, in snapshot: any StorageSnapshot) async throws -> Entry {
        guard let entry = try await snapshot.entries([id]).first else {
            throw Problem.notFound("no entry has the id \(id.text)")
        }
        return entry
    }

    /// Returns a text of the body that is not only white space.
    private static func text(_ name: String, of body: JSONValue) throws(Problem) -> String? {
        guard let text = body[name]?.asString else { return nil }
        guard !text.allSatisfy(\.isWhitespace) else { throw .invalid("body.\(name) is empty") }
        return text
    }

    /// Reports a conflict with the expected revision of a client as a failed precondition.
    private static func matching(
        _ expected: Revision?, _ body: () async throws -> Reply
    ) async throws -> Reply {
        do {
            return try await body()
        } catch let error as StorageError where error.code == .conflict && expected != nil {
            throw EntryTag.changed
        }
    }
}
