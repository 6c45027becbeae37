import Roost
import RoostModel

struct ForgetTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    private static let maximumCount = 100

    let definition = ToolDefinition(
        name: "forget", title: "Remove entries",
        description:
            "Removes entries. Without confirm, it only returns the entries that would be removed: show them "
            + "to the user, then call it again with confirm. Files that were ingested are not deleted, and "
            + "their entries are stored again when the files are ingested again.",
        effect: .changes,
        input: [
            ToolProperty(
                "ids",
                .array(of: .string(maximumBytes: EntryLookup.maximumNameLength), maximumCount: maximumCount),
                isRequired: true, "The ids of the entries."),
            ToolProperty("confirm", .flag, "Whether to remove the entries."), TokenBudget.argument,
        ])

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        let names = arguments.strings("ids")
        guard !names.isEmpty else { throw ToolFailure("'ids' is empty; give at least one id") }
        return try await handle.change { store in
            let lookup = EntryLookup(rules: rules, snapshot: try await store.storage.snapshot())
            var entries: [Entry] = []
            var seen = Set<Entry.ID>()
            for name in names {
                let entry = try await lookup.entry(name)
                if seen.insert(entry.id).inserted { entries.append(entry) }
            }
            let isConfirmed = arguments.flag("confirm")
            let removed = isConfirmed ? try await store.remove(entries.map(\.id)) : 0
            var members: [String: JSONValue] = [
                "removed": .integer(Int64(removed)), "entries": [],
                "omitted": .integer(Int64(entries.count)), "notice": EntryJSON.notice,
            ]
            if !isConfirmed {
                members["notices"] = [
                    "nothing was removed; to remove the entries, repeat the call with confirm"
                ]
            }
            var budget = TokenBudget(arguments)
            budget.use(.object(members))
            let items = budget.takeFirst(of: entries.map { .object(EntryJSON.summary(of: $0)) })
            members["entries"] = .array(items)
            members["omitted"] =
                items.count < entries.count ? .integer(Int64(entries.count - items.count)) : nil
            return .object(members)
        }
    }
}
