import Roost
import RoostModel

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
            "Stores a text that should be found later, such as a fact, a decision or a note. If the store "
            + "contains a near-duplicate, nothing is stored and the near-duplicates are returned. A "
            + "near-duplicate can have the same meaning, or contradict the text: compare the snippets, and "
            + "call 'update' to change one of them, or pass allowDuplicate.",
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
        ])

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        let text = try arguments.requiredString("text")
        guard !text.allSatisfy(\.isWhitespace) else { throw ToolFailure("the argument 'text' is empty") }
        let tags = TagName.adding(
            try EntryValues.newTags(in: arguments.json, "tags"), to: rules.tags.sorted())
        var metadata = try EntryValues.metadata(in: arguments.json)
        if let title = arguments.string("title"), !title.allSatisfy(\.isWhitespace) {
            metadata["title"] = .string(title)
        }
        return try await handle.change { [metadata] store in
            if !arguments.flag("allowDuplicate") {
                let duplicates = try await duplicates(of: text, in: store)
                if !duplicates.isEmpty {
                    let hasValues = arguments["tags"] != nil || !metadata.isEmpty
                    return try await refusal(of: text, because: duplicates, in: store, hasValues)
                }
            }
            // An equal text that is not visible must not become visible by getting the tags of this server.
            let added = try await store.add(
                text, tags: tags, metadata: metadata, ownSource: rules.ownSource, among: rules.restricting())
            return [
                "stored": .bool(added.isNew), "updated": .bool(added.isUpdated),
                "id": .string(added.id.text), "duplicates": [],
            ]
        }
    }

    /// Returns the answer of a call that stores nothing.
    private func refusal(
        of text: String, because duplicates: [JSONValue], in store: KnowledgeStore, _ hasValues: Bool
    ) async throws -> JSONValue {
        let equal = try await store.equalEntry(
            to: text, ownSource: rules.ownSource, among: rules.restricting())
        var members: [String: JSONValue] = [
            "stored": false, "duplicates": .array(duplicates), "notice": EntryJSON.notice,
            "notices": [.string(Self.reason(isEqual: equal != nil, hasValues))],
        ]
        members["id"] = equal.map { .string($0.text) }
        return .object(members)
    }

    /// Returns why a text was not stored, and how to proceed.
    private static func reason(isEqual: Bool, _ hasValues: Bool) -> String {
        guard isEqual else {
            return "nothing was stored because of near-duplicates; call 'update' to change one of them, or "
                + "pass allowDuplicate to store the text in addition"
        }
        return hasValues
            ? "the text was stored before, and its tags and metadata were not changed; call 'update' with "
                + "its id to change them" : "the text was stored before"
    }

    private func duplicates(of text: String, in store: KnowledgeStore) async throws -> [JSONValue] {
        guard try await store.storage.snapshot().stamp.entryCount > 0 else { return [] }
        var search = EntrySearch(
            .document(text), matching: rules.restricting(), limit: Self.maximumDuplicates)
        search.includesAll = true
        let result = try await store.search(search)
        return result.hits.filter { $0.similarity >= Self.duplicateThreshold }.map { hit in
            var item = EntryJSON.summary(of: hit.entry)
            item["snippet"] = EntryJSON.snippetText(of: hit, in: result, tokens: TokenBudget.standard)
            item["similarity"] = .rounded(hit.similarity)
            return .object(item)
        }
    }
}
