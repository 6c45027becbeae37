import Foundation
import Roost
package import RoostModel

enum EntryValueParameters {
    static let maximumText = 1 << 20
    static let id = Argument(
        "id", Schema.string("The id of the entry.", minimum: 1, maximum: OperationContext.maximumNameLength),
        .required)
    static let revision = Argument(
        "ifMatch",
        Schema.string(
            "The revision of the entry that the client has read, or `*` for any; the request fails if the entry "
                + "has changed since or does not exist."), .programs, header: "If-Match")

    static let entries = Argument(
        "entries",
        Schema.array(of: Schema.string("The id of an entry."), "The entries.", minimum: 1, maximum: 10_000),
        .required)

    static func tags(_ name: String, _ description: String) -> Argument {
        Argument(
            name,
            Schema.array(
                of: Schema.string("A tag in one line.", minimum: 1, maximum: 1_000), description,
                maximum: 64))
    }
}

extension OperationContext {
    /// Returns an entry, and the revision that its change must find according to the parameter `ifMatch`; `nil` for any
    /// revision.
    ///
    /// - Throws: ``OperationError``, with `changed` if the entry of `ifMatch` has another revision or does not exist.
    fileprivate func entry(_ id: String, matching tag: String?) async throws -> (Entry, Revision?) {
        let entry: Entry
        do {
            entry = try await self.entry(id)
        } catch let error as OperationError where error.code == .notFound && tag != nil {
            throw OperationError("the entry of 'ifMatch' does not exist", .changed)
        }
        guard let tag, tag != "*" else { return (entry, nil) }
        guard let revision = try await snapshot.revisions(of: [entry.id])[entry.id],
            tag.trimmingCharacters(in: ["\""]) == EntryDocument.revisionText(revision, at: snapshot.stamp)
        else { throw Self.changed }
        return (entry, revision)
    }

    private static let changed = OperationError(
        "the entry has changed since the revision of 'ifMatch'", .changed)

    fileprivate func matching<Value>(
        _ expected: Revision?, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as StorageError where error.code == .conflict && expected != nil {
            throw Self.changed
        }
    }
}

package struct AddedDocument: Codable, Sendable {
    package var stored: Bool
    /// Whether the text, the tags or the metadata of an existing entry have changed.
    package var updated: Bool
    package var id: String
    package var notices: [String]?

    init(_ added: AddedEntry) {
        (stored, updated, id) = (added.isNew, added.isUpdated, added.id.text)
        if !stored, !updated { notices = ["the text was stored before"] }
    }
}

struct AddEntry: Operation {
    typealias Output = AddedDocument

    var text: String
    var title: String?
    var tags: [String]?
    var metadata: [String: JSONValue]?
    var key: String?

    static let name = "remember"
    static let summary = "Store a text for later searches, such as a fact, a decision or a note."
    static let details = "An entry with the same text gets the title, tags and metadata instead."
    static let access = OperationAccess(.adds, .newEntries)
    static let route = OperationRoute(.post, "/entries")
    static let isTool = true
    static let parameters = [
        Argument(
            "text",
            Schema.string(
                "The text, understandable without the conversation.", minimum: 1,
                maximum: EntryValueParameters.maximumText), .required),
        Argument("title", Schema.string("A short title.", maximum: 1_000)),
        EntryValueParameters.tags("tags", "Tags."),
        Argument("metadata", Schema.metadata),
        Argument(
            "key",
            Schema.string(
                "The client's own id of the text, which replaces that of an entry with this key.", minimum: 1,
                maximum: 1_000), .programs),
    ]

    static func head(of output: Output) -> OperationHead {
        OperationHead(location: output.stored ? "/api/v1/entries/\(output.id)" : nil)
    }

    func run(in context: OperationContext) async throws -> Output {
        try TextValues.check(text, "text")
        let rules = context.rules
        let tags = TagName.adding(try TextValues.newTags(tags, "tags"), to: rules.tags.sorted())
        var metadata = try TextValues.metadata(metadata)
        if let title, !title.allSatisfy(\.isWhitespace) { metadata["title"] = .string(title) }
        if let key {
            guard rules.showsEverything else {
                throw OperationError("'key' cannot be used: this server shows only a part of the store")
            }
            return Output(try await context.store.add(text, key: key, tags: tags, metadata: metadata))
        }
        // Models add white space around a text. An equal text that is not visible must not become visible by getting
        // the tags of this server.
        let text =
            context.operations.servesAgents ? text.trimmingCharacters(in: .whitespacesAndNewlines) : text
        return Output(
            try await TextAddition.run(
                text, tags: tags, metadata: metadata, to: context.store, ownSource: rules.ownSource,
                among: rules.texts))
    }
}

struct UpdateEntry: Operation {
    typealias Output = EntryDocument

    var id: String
    var text: String?
    var title: String?
    var addTags: [String]?
    var removeTags: [String]?
    var metadata: [String: JSONValue]?
    var ifMatch: String?

    static let name = "update"
    static let summary = "Replace the text of an entry, or change its title, tags and metadata."
    static let details = "A metadata value of null removes the key. The file of an entry is not changed."
    static let access = OperationAccess(.changes, .entries)
    static let route = OperationRoute(.patch, "/entries/{id}")
    static let isTool = true
    static let parameters = [
        EntryValueParameters.id,
        Argument(
            "text", Schema.string("The new text.", minimum: 1, maximum: EntryValueParameters.maximumText)),
        Argument("title", Schema.string("The new title; an empty one removes it.", maximum: 1_000)),
        EntryValueParameters.tags("addTags", "Tags to add."),
        EntryValueParameters.tags("removeTags", "Tags to remove, in any case."),
        Argument("metadata", Schema.metadata), EntryValueParameters.revision,
    ]

    static func head(of output: EntryDocument) -> OperationHead { OperationHead(revision: output.revision) }

    func run(in context: OperationContext) async throws -> EntryDocument {
        try TextValues.check(text, "text")
        var changes = EntryChanges()
        changes.content = text
        changes.addedTags = Set(try TextValues.newTags(addTags, "addTags"))
        changes.removedTags = Set(removeTags ?? [])
        changes.metadata = try TextValues.metadata(metadata)
        if let title {
            changes.metadata["title"] = title.allSatisfy(\.isWhitespace) ? .null : .string(title)
        }
        guard changes != EntryChanges() else {
            throw OperationError(
                "no change is given; pass 'text', 'title', 'addTags', 'removeTags' or 'metadata'")
        }
        let (entry, expected) = try await context.entry(id, matching: ifMatch)
        // Its metadata determines the conversation of a message, and its place and author there.
        guard changes.metadata.isEmpty || !entry.metadata.contains(where: DocumentKey.marksMessage) else {
            throw OperationError("\(entry.id.text) is a message, whose title and metadata cannot be changed")
        }
        // The checks hold for this revision only.
        let checked =
            try context.rules.check(changes, of: entry) || !context.rules.showsEverything
            ? try await context.snapshot.revisions(of: [entry.id])[entry.id] : nil
        let changed = try await context.matching(expected) {
            try await context.store.update(entry.id, changes, expecting: expected ?? checked)
        }
        return try await EntryDocument.documents(
            of: [changed], in: try await context.store.storage.snapshot(),
            showingClusters: context.rules.showsEverything, withTexts: false, tokens: context.tokens)[0]
    }
}

struct TagEntries: Operation {
    struct Output: Codable, Sendable {
        /// The number of entries that changed.
        var changed: Int
    }

    var entries: [String]
    var addTags: [String]?
    var removeTags: [String]?

    static let name = "tag_entries"
    static let summary = "Add tags to entries, and remove tags from them."
    static let details = "'undo' undoes it for all of the entries."
    static let access = OperationAccess(.changes, .everything)
    static let route = OperationRoute(.post, "/entries/tags")
    static let parameters = [
        EntryValueParameters.entries,
        EntryValueParameters.tags("addTags", "Tags to add."),
        EntryValueParameters.tags("removeTags", "Tags to remove, in any case."),
    ]

    func run(in context: OperationContext) async throws -> Output {
        let changes = EntryChanges(
            addedTags: Set(try TextValues.newTags(addTags, "addTags")), removedTags: Set(removeTags ?? []))
        return Output(
            changed: try await context.store.update(try TextValues.ids(entries, "entries"), changes))
    }
}

/// The JSON form of the result of removing entries.
package struct RemovalDocument: Codable, Sendable {
    package var removed: Int
    package var matching: Int
    package var entries: [EntryDocument]
    package var omitted: Int?
    package var notices: [String]?

    static let maximumListed = 1_000

    /// - Parameter removed: The number of removed entries; `nil` if they would be removed.
    package init(removed: Int?, matching: Int) {
        (self.removed, self.matching, entries) = (removed ?? 0, matching, [])
        if removed == nil { notices = ["nothing was removed"] }
    }

    /// Adds the first entries that match a filter, as many as fit.
    package mutating func list(_ filter: EntryFilter, in snapshot: any StorageSnapshot) async throws {
        let page = try await snapshot.entries(after: nil, limit: Self.maximumListed, matching: filter)
        entries = page.entries.map(EntryDocument.init)
        omitted = entries.count < matching ? matching - entries.count : nil
    }
}

struct ForgetEntries: Operation {
    typealias Output = RemovalDocument

    var ids: [String]?
    var confirm: Bool?

    static let name = "forget"
    static let summary = "Remove entries and messages."
    static let details =
        "Without confirm, only lists them: show them to the user first. If an id is unknown, nothing is removed."
    static let access = OperationAccess(.changes, .entries)
    static let route = OperationRoute(.post, "/entries/remove")
    static let isTool = true
    static let parameters =
        EntrySelection.parameters.map { parameter in
            var parameter = parameter
            parameter.use = .programs
            return parameter.name == "ids" ? Argument("ids", EntrySelection.ids(10_000)) : parameter
        } + [
            Argument("confirm", Schema.flag("Whether to remove the entries.")),
            TokenBudget.parameter,
        ]

    func run(in context: OperationContext) async throws -> RemovalDocument {
        var selection = try context.decode(EntrySelection.self)
        if let ids {
            var found: [String] = []
            for id in ids { found.append(try await context.entry(id).id.text) }
            selection.ids = found
        }
        let selected = try await selection.filter(in: context)
        guard !selected.matchesAll else {
            throw OperationError("at least one parameter must select entries, such as 'ids'")
        }
        let filter = try await context.visible(selected)
        let matching = try await context.snapshot.count(matching: filter)
        let removed = confirm == true ? try await context.store.remove(matching: filter) : nil
        var output = RemovalDocument(removed: removed, matching: matching)
        var budget = context.budget
        budget.use(try JSONValue.encoding(output))
        try await output.list(filter, in: context.snapshot)
        output.entries = try context.page(output.entries, from: 0, isLast: true, budget).items
        if output.entries.count < matching { output.omitted = matching - output.entries.count }
        return output
    }
}

struct RemoveEntry: Operation {
    struct Output: Codable, Sendable {
        var removed: Int
    }

    var id: String
    var ifMatch: String?

    static let name = "remove"
    static let summary = "Remove an entry or message."
    static let access = OperationAccess(.changes, .everything)
    static let route = OperationRoute(.delete, "/entries/{id}")
    static let parameters = [EntryValueParameters.id, EntryValueParameters.revision]

    func run(in context: OperationContext) async throws -> Output {
        let (entry, expected) = try await context.entry(id, matching: ifMatch)
        return try await context.matching(expected) {
            guard try await context.store.remove(entry.id, expecting: expected) == 1 else {
                throw OperationError("no entry has the id \(entry.id.text)", .notFound)
            }
            return Output(removed: 1)
        }
    }
}
