import Roost
import RoostModel

/// The tool that stores a text as a new entry.
struct RememberTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    /// The minimum cosine similarity at which a stored text is reported instead of storing the new one. At
    /// this similarity, texts are usually versions of each other.
    private static let duplicateThreshold: Float = 0.93
    private static let maximumDuplicates = 3
    /// The maximum length of a text in UTF-8 bytes.
    static let maximumTextLength = 1 << 20

    let definition = ToolDefinition(
        name: "remember", title: "Remember a text",
        description:
            "Stores a text that should be found later, such as a fact, a decision or a note. If the "
            + "store contains "
            + "a near-duplicate, nothing is stored and the near-duplicates are returned: call "
            + "'update' to change one "
            + "of them, or pass allowDuplicate.",
        effect: .adds,
        input: [
            ToolProperty(
                "text", .string(maximumBytes: maximumTextLength), isRequired: true,
                "The text, understandable without the conversation."),
            ToolProperty("title", .string(maximumBytes: 1_000), "A short title."),
            ToolProperty("tags", .array(of: .string(maximumBytes: 200), maximumCount: 32), "Tags."),
            ToolProperty("metadata", .map, "Additional values by key, such as {\"year\": 2026}."),
            ToolProperty(
                "allowDuplicate", .flag, "Whether to store the text even if there is a near-duplicate."),
            ToolProperty("dryRun", .flag, "Whether to report what would happen without storing the text."),
        ],
        output: [
            ToolProperty("stored", .flag, isRequired: true, "Whether the text was stored as a new entry."),
            ToolProperty("id", .string(maximumBytes: .max), "The id of the new or equal entry."),
            ToolProperty(
                "duplicates",
                .array(
                    of: .object(
                        EntryJSON.summaryProperties + [
                            ToolProperty(
                                "similarity", .number(-.infinity ... .infinity), "The cosine similarity.")
                        ]), maximumCount: maximumDuplicates), "Near-duplicates, most similar first."),
        ])

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        let text = try arguments.requiredString("text")
        guard !text.allSatisfy(\.isWhitespace) else { throw ToolFailure("the argument 'text' is empty") }
        let tags = TagName.adding(try arguments.newTags("tags"), to: rules.tags.sorted())
        var metadata = arguments["metadata"]?.members ?? [:]
        if let title = arguments.string("title") { metadata["title"] = .string(title) }
        try MetadataRules.check(metadata)
        return try await handle.use { [metadata] store in
            if !arguments.flag("allowDuplicate") {
                let duplicates = try await duplicates(of: text, in: store)
                guard duplicates.isEmpty else {
                    return ["stored": false, "duplicates": .array(duplicates), "notice": EntryJSON.notice]
                }
            }
            if arguments.flag("dryRun") { return ["stored": false, "duplicates": []] }
            // An equal text that is not visible must not become visible by getting the tags of this server.
            let added = try await store.add(
                text, tags: tags, metadata: metadata, ownSource: rules.ownSource,
                where: rules.allows)
            return ["stored": .bool(added.isNew), "id": .string(added.id.text), "duplicates": []]
        }
    }

    private func duplicates(of text: String, in store: KnowledgeStore) async throws -> [JSONValue] {
        guard try await store.storage.snapshot().stamp.entryCount > 0 else { return [] }
        var search = EntrySearch(
            .document(text), matching: rules.restricting(), limit: Self.maximumDuplicates)
        search.includesAll = true
        return try await store.search(search).hits.filter { $0.similarity >= Self.duplicateThreshold }.map {
            hit in
            var item = EntryJSON.summary(of: hit.entry)
            item["similarity"] = .rounded(hit.similarity)
            return .object(item)
        }
    }
}
