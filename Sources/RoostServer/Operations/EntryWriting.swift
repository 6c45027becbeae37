import Foundation
import Roost
import RoostModel

enum EntryValueParameters {
    /// The maximum length of a text in characters.
    static let maximumText = 1 << 20
    static let id = Argument(
        "id", Schema.string("The id of the entry.", minimum: 1, maximum: OperationContext.maximumNameLength),
        .required)
    static let revision = Argument(
        "ifMatch",
        Schema.string(
            "The revision of the entry that the client has read, or `*` for any; the request fails if the entry "
                + "has changed since or does not exist."), .programs, header: "If-Match")

    static func tags(_ name: String, _ description: String) -> Argument {
        Argument(
            name,
            Schema.array(
                of: Schema.string("A tag in one line.", minimum: 1, maximum: 1_000), description, maximum: 64)
        )
    }
}

extension OperationContext {
    /// Returns the revision that a change must find, according to the parameter `ifMatch`.
    ///
    /// - Returns: `nil` if any revision may be changed.
    /// - Throws: ``OperationError`` with `changed` if the entry has another revision or does not exist.
    fileprivate func revision(_ tag: String?, of id: String) async throws -> Revision? {
        guard let tag else { return nil }
        guard let uuid = UUID(uuidString: id),
            let revision = try await snapshot.revisions(of: [uuid])[uuid]
        else { throw OperationError("the entry of 'ifMatch' does not exist", .changed) }
        if tag == "*" { return nil }
        guard tag.trimmingCharacters(in: ["\""]) == EntryDocument.revisionText(revision, at: snapshot.stamp)
        else { throw Self.changed }
        return revision
    }

    private static let changed = OperationError(
        "the entry has changed since the revision of 'ifMatch'", .changed)

    /// Reports a conflict with the revision that the client expects.
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

struct AddEntry: Operation {
    struct Output: Codable, Sendable {
        var stored: Bool
        /// Whether the tags or the metadata of an entry with an equal text have changed.
        var updated: Bool?
        var id: String?
        /// The near-duplicates because of which nothing was stored.
        var duplicates: [EntryDocument]
        var notices: [String]?
    }

    var text: String
    var title: String?
    var tags: [String]?
    var metadata: [String: JSONValue]?
    var allowDuplicate: Bool?
    var key: String?

    static let name = "remember"
    static let summary =
        "Stores a text that should be found later, such as a fact, a decision or a note."
    static let details =
        "If the store contains a near-duplicate, nothing is stored and the near-duplicates are returned, unless "
        + "allowDuplicate is true. A near-duplicate can have the same meaning, or contradict the text: compare the "
        + "snippets, and call 'update' to change one of them, or pass allowDuplicate. An entry with an equal text "
        + "gets the tags and metadata."
    static let access = OperationAccess(.adds, .newEntries)
    static let route = OperationRoute(.post, "/entries")
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
            "allowDuplicate",
            Schema.flag(
                "Whether to store the text even if there is a near-duplicate; the default is false for agents, "
                    + "otherwise true.")),
        Argument(
            "key",
            Schema.string(
                "The client's own id of the text. The text replaces that of the entry with this key, if there is "
                    + "one.", minimum: 1, maximum: 1_000), .programs),
    ]

    static func head(of output: Output) -> OperationHead {
        OperationHead(location: output.stored ? output.id.map { "/api/v1/entries/\($0)" } : nil)
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
            let added = try await context.store.add(text, key: key, tags: tags, metadata: metadata)
            return Output(
                stored: added.isNew, updated: added.isUpdated, id: added.id.text, duplicates: [])
        }
        if !(allowDuplicate ?? !context.operations.servesAgents) {
            let duplicates = try await duplicates(context)
            if !duplicates.isEmpty {
                return try await refusal(
                    because: duplicates, context, self.tags != nil || !metadata.isEmpty)
            }
        }
        // An equal text that is not visible must not become visible by getting the tags of this server.
        let added = try await TextAddition.run(
            text, tags: tags, metadata: metadata, to: context.store, ownSource: rules.ownSource,
            among: rules.restricting())
        return Output(stored: added.isNew, updated: added.isUpdated, id: added.id.text, duplicates: [])
    }

    /// The minimum cosine similarity at which a stored text is reported instead of storing the new one. At this
    /// similarity, texts are usually versions of each other.
    private static let duplicateThreshold: Float = 0.93
    private static let maximumDuplicates = 3

    private func duplicates(_ context: OperationContext) async throws -> [EntryDocument] {
        guard context.snapshot.stamp.entryCount > 0 else { return [] }
        var search = EntrySearch(
            .document(text), matching: context.rules.restricting(), limit: Self.maximumDuplicates)
        search.includesAll = true
        let result = try await context.store.search(search)
        return result.hits.filter { $0.similarity >= Self.duplicateThreshold }.map { hit in
            var document = EntryDocument(hit.entry)
            document.addSnippet(
                of: hit, in: result, length: EntryDocument.snippetLength(TokenBudget.standard))
            document.line = nil
            document.similarity = hit.similarity.rounded4
            return document
        }
    }

    /// Returns the result of a call that stores nothing.
    private func refusal(
        because duplicates: [EntryDocument], _ context: OperationContext, _ hasValues: Bool
    ) async throws -> Output {
        let equal = try await TextAddition.existingEntry(
            text, in: context.store, ownSource: context.rules.ownSource, among: context.rules.restricting())
        let reason =
            if equal == nil {
                "nothing was stored because of near-duplicates; call 'update' to change one of them, or pass "
                    + "allowDuplicate to store the text in addition"
            } else if hasValues {
                "the text was stored before, and its tags and metadata were not changed; call 'update' with its "
                    + "id to change them"
            } else {
                "the text was stored before"
            }
        return Output(stored: false, id: equal?.id.text, duplicates: duplicates, notices: [reason])
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
    static let summary =
        "Replaces the text of an entry, or changes its title, tags and metadata, in one step."
    static let details =
        "A metadata value of null removes the key. A file from which the entry was ingested is not changed; when "
        + "the file changes, its text replaces the text of the entry."
    static let access = OperationAccess(.changes, .entries)
    static let route = OperationRoute(.patch, "/entries/{id}")
    static let parameters = [
        EntryValueParameters.id,
        Argument(
            "text", Schema.string("The new text.", minimum: 1, maximum: EntryValueParameters.maximumText)),
        Argument(
            "title",
            Schema.string(
                "The new title; an empty one removes the title that was set before.", maximum: 1_000)),
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
        let expected = try await context.revision(ifMatch, of: id)
        let entry = try await context.entry(id)
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

struct ForgetEntries: Operation {
    struct Output: Codable, Sendable {
        var removed: Int
        /// The number of entries that match.
        var matching: Int
        var entries: [EntryDocument]
        /// The number of entries that the list omits.
        var omitted: Int?
        var notices: [String]?
    }

    var ids: [String]?
    var confirm: Bool?

    static let name = "forget"
    static let summary = "Removes entries."
    static let details =
        "Without confirm, it only returns the entries that would be removed: show them to the user, then call it "
        + "again with confirm. Files that were ingested are not deleted, and their entries are stored again when "
        + "the files are ingested again."
    static let access = OperationAccess(.changes, .entries)
    static let route = OperationRoute(.delete, "/entries")
    static let parameters =
        EntrySelection.parameters.map { parameter in
            var parameter = parameter
            parameter.use = parameter.name == "ids" ? .optional : .programs
            return parameter
        } + [
            Argument("confirm", Schema.flag("Whether to remove the entries.")),
            TokenBudget.parameter,
        ]

    /// The maximum number of entries that the result lists.
    private static let maximumListed = 1_000

    func run(in context: OperationContext) async throws -> Output {
        var selection = try context.decode(EntrySelection.self)
        guard !selection.isEmpty else {
            throw OperationError("at least one parameter must select entries, such as 'ids'")
        }
        if let ids {
            var found: [String] = []
            for id in ids { found.append(try await context.entry(id).id.text) }
            selection.ids = found
        }
        let selected = try await selection.filter(in: context)
        guard !selected.matchesAll else {
            throw OperationError("at least one parameter must select entries, such as 'ids'")
        }
        let filter = context.rules.restricting(selected)
        let matching = try await context.store.count(matching: filter)
        let listed = try await context.snapshot.entries(
            after: nil, limit: Self.maximumListed, matching: filter)
        let isConfirmed = confirm ?? false
        let removed = isConfirmed ? try await context.store.remove(matching: filter) : 0
        var output = Output(removed: removed, matching: matching, entries: [])
        if !isConfirmed {
            output.notices = [
                "nothing was removed; to remove the entries, repeat the call with confirm"
            ]
        }
        var budget = context.budget
        budget.use(try JSONValue.encoding(output))
        output.entries = try context.page(
            listed.entries.map(EntryDocument.init), from: 0, isLast: true, budget
        ).items
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
    static let summary = "Removes an entry or message."
    static let access = OperationAccess(.changes, .everything)
    static let route = OperationRoute(.delete, "/entries/{id}")
    static let isTool = false
    static let returnsTexts = false
    static let parameters = [EntryValueParameters.id, EntryValueParameters.revision]

    func run(in context: OperationContext) async throws -> Output {
        let expected = try await context.revision(ifMatch, of: id)
        let entry = try await context.entry(id, includingMessages: true)
        return try await context.matching(expected) {
            guard try await context.store.remove(entry.id, expecting: expected) == 1 else {
                throw OperationError("no entry has the id \(entry.id.text)", .notFound)
            }
            return Output(removed: 1)
        }
    }
}
