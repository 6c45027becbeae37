import ArgumentParser
import Roost

struct TagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Add tags to entries, or remove tags from them.",
        discussion: """
            +TAG adds a tag, and -TAG removes one; to add a single tag, the sign can be omitted. Case does \
            not matter: on an entry with the tag Birds, +birds changes nothing, and -birds removes Birds. \
            Removing a tag does not remove the tags nested in it, such as birds/swifts.

            In place of ids, options such as --source, --where and --tag can select the entries; all of the \
            options must match. Then, each tag needs its sign.

            \(StoreOptions.entryRule)

            Examples:
              roost tag e2d8942a birds
              roost tag e2d8942a d511e8df birds
              roost tag notes/birds.md +birds -draft
              roost tag --remove e2d8942a birds
              roost tag --cluster "Night sky" +astronomy
              roost tag --tag draft +final -draft
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions

    @Flag(name: .long, help: "Remove the tag instead of adding it.")
    var remove = false

    @Argument(
        help: ArgumentHelp(
            "Ids of entries, id prefixes or files, then the tag, or +TAG and -TAG for each tag.",
            valueName: "ID… TAG"),
        completion: DynamicCompletion.entries)
    var arguments: [String]

    /// Returns the ids and the changes that the arguments name.
    ///
    /// - Throws: `ValidationError`.
    private func parts() throws -> TagChanges {
        try filters.isEmpty
            ? TagChanges(arguments, removes: remove) : TagChanges(ofSelection: arguments, removes: remove)
    }

    func validate() throws {
        // A tag that an older version accepted can be removed.
        let added = try parts().changes.filter(\.isAdded)
        try TagArgument.check(added.map(\.tag), name: "the tag")
    }

    func run() async throws {
        let parts = try parts()
        let changes = parts.changes
        let store = try await options.open()
        var ids: [Entry.ID] = []
        for text in parts.entries { ids += try await options.namedEntries(text, store).ids }
        if !filters.isEmpty {
            // The entries are selected before the first change, which can change whether they match.
            let filter = try await filters.filter(options, store)
            let snapshot = try await store.storage.snapshot()
            for try await page in snapshot.headerPages(matching: filter) { ids += page.headers.map(\.id) }
            if ids.isEmpty { throw RoostError(.notFound, "no tag was changed: " + filters.missReason) }
        }
        // A signed tag cannot be an id.
        if changes.count == 1, arguments.last == changes[0].tag, changes[0].isAdded,
            try await isID(changes[0].tag, store)
        {
            throw CommandError(
                .usage, "'\(changes[0].tag)' is the id of an entry; give the tag after the ids")
        }
        for change in changes {
            let count = try await apply(change, to: ids, store)
            let tag = changes.count == 1 ? "" : "\(Terminal.line(change.tag, limit: 60)): "
            options.note("\(tag)\(count) of \(Count.text(ids.count, "entry", "entries")) changed")
        }
        TagArgument.remark(on: changes.filter(\.isAdded).map(\.tag), options)
        try await store.close()
    }

    /// Adds or removes a tag, and returns the number of changed entries.
    private func apply(
        _ change: TagChanges.Change, to ids: [Entry.ID], _ store: KnowledgeStore
    ) async throws -> Int {
        // Entries that other programs or older versions wrote can have tags that begin with #.
        if !change.isAdded {
            let count = try await store.removeTag(change.tag, from: ids)
            if count > 0 { return count }
        }
        let tag = TagArgument.tag(change.tag)
        return try await change.isAdded ? store.addTag(tag, to: ids) : store.removeTag(tag, from: ids)
    }

    /// Returns whether a text is probably the id of an entry and not a tag, such as the tag 2024.
    private func isID(_ text: String, _ store: KnowledgeStore) async throws -> Bool {
        guard text.utf8.count >= Self.shownIDLength, text.allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
            return false
        }
        return (try? await options.entryID(text, store)) != nil
    }

    /// The number of digits of an id that lists show.
    private static let shownIDLength = 8
}
