import Roost
import RoostModel

struct UpdateTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    let definition = ToolDefinition(
        name: "update", title: "Change an entry",
        description:
            "Replaces the text of an entry, or changes its title, tags and metadata, in one step. A file "
            + "from which the entry was ingested is not changed; when the file changes, its text replaces "
            + "the text of the entry.",
        effect: .changes,
        input: [
            ToolProperty(
                "id", .string(maximumBytes: EntryLookup.maximumNameLength), isRequired: true,
                "The id of the entry."),
            ToolProperty("text", .string(maximumBytes: RememberTool.maximumTextLength), "The new text."),
            ToolProperty(
                "title", .string(maximumBytes: 1_000),
                "The new title; an empty one removes the title that was set before."),
            ToolProperty(
                "addTags", .array(of: .string(maximumBytes: 200), maximumCount: 32), "Tags to add."),
            ToolProperty(
                "removeTags", .array(of: .string(maximumBytes: 200), maximumCount: 32), "Tags to remove."),
            ToolProperty("metadata", .map, "Values to set by key; null removes a key."),
        ])

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        var changes = EntryChanges()
        changes.content = arguments.string("text")
        changes.addedTags = Set(try EntryValues.newTags(in: arguments.json, "addTags"))
        changes.removedTags = Set(arguments.strings("removeTags"))
        changes.metadata = try EntryValues.metadata(in: arguments.json)
        if let title = arguments.string("title") {
            changes.metadata["title"] = title.allSatisfy(\.isWhitespace) ? .null : .string(title)
        }
        guard changes != EntryChanges() else {
            throw ToolFailure(
                "no change is given; pass 'text', 'title', 'addTags', 'removeTags' or 'metadata'")
        }
        return try await handle.change { [changes] store in
            let lookup = EntryLookup(rules: rules, snapshot: try await store.storage.snapshot())
            let entry = try await lookup.entry(try arguments.requiredString("id"))
            // The check of the removed tags holds for this revision only.
            let revision =
                try rules.check(changes, of: entry)
                ? try await lookup.snapshot.revisions(of: [entry.id])[entry.id] : nil
            let changed = try await store.update(entry.id, changes, expecting: revision)
            var members = EntryJSON.summary(of: changed)
            members.merge(EntryJSON.details(of: changed)) { first, _ in first }
            members["notice"] = EntryJSON.notice
            return .object(members)
        }
    }
}
