import ArgumentParser
import Foundation
import Roost

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove entries.",
        discussion: """
            Files on disk are not removed. To remove more than 20 entries, confirm it or use --yes. Before \
            Roost removes 100 entries or more, it creates a backup. `roost undo` restores the entries.

            \(StoreOptions.entryRule) The next `roost ingest` of the file adds its entries again.

            Examples:
              roost remove e2d8942a d511e8df
              roost remove notes/birds.md
              roost remove --source notes/old --dry-run
            """,
        aliases: ["rm"])

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp("Ids of entries, id prefixes, or paths of ingested files.", valueName: "ID|FILE"),
        completion: DynamicCompletion.entries)
    var ids: [String] = []

    @Option(
        name: .long, help: "Remove all entries from this file, folder or source.",
        completion: DynamicCompletion.sources)
    var source: String?

    @Flag(name: .long, help: "Show what would be removed, without removing it.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Remove more than 20 entries without confirmation.")
    var yes = false

    func validate() throws {
        guard !ids.isEmpty || source != nil else {
            throw ValidationError("give ids of entries, or a --source")
        }
    }

    func run() async throws {
        let store = try await options.open()
        var selection = RemovalSelection()
        for text in ids {
            let named = try await options.namedEntries(text, store)
            // The entries of a file are those that it has when they are removed.
            if let source = named.source {
                selection.sources.insert(source)
            } else {
                selection.entries += named.ids
            }
        }
        let snapshot = try await store.storage.snapshot()
        let present = try await snapshot.revisions(of: selection.entries).keys
        if let missing = Set(selection.entries).subtracting(present).first {
            throw RoostError(.notFound, "no entry has the id \(missing.text); nothing was removed")
        }
        if let source {
            let file = RecordReader.sourceID(URL(fileURLWithPath: source))
            let named = RemovalSelection(
                sources: [source, file], prefix: file.hasSuffix("/") ? file : file + "/")
            guard try await !named.contents(of: snapshot).isEmpty else {
                throw RoostError(
                    .notFound,
                    "no entry has the source '\(Terminal.line(source))'; nothing was removed")
            }
            selection.sources.formUnion(named.sources)
            selection.prefix = named.prefix
        }
        let found = try await selection.contents(of: snapshot).entries
        var count = found.count
        if dryRun {
            if !options.quiet { try await list(found, snapshot) }
        } else {
            guard try Confirmation.permitsRemoval(of: count, "entries", isConfirmed: yes) else {
                try await store.close()
                options.note("nothing was removed")
                throw ExitCode(ExitStatus.nothingFound.rawValue)
            }
            if count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
            // Other processes can add and remove entries while the user reads the question.
            count = try await store.remove(selection) ?? 0
        }
        try await store.close()
        Terminal.write("\(dryRun ? "would remove" : "removed") \(Count.text(count, "entry", "entries"))")
    }

    /// Prints entries as `roost list` does, in the same order.
    private func list(_ ids: Set<Entry.ID>, _ snapshot: any StorageSnapshot) async throws {
        var writer = ListWriter(.table, EntryRow.columns)
        for try await page in snapshot.entryPages(matching: EntryFilter(ids: ids)) {
            try writer.write(page.entries.map { EntryRow.row($0, document: $0) })
        }
        writer.finish()
    }
}
