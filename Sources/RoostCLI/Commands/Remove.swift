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
        var removals: [Entry.ID] = []
        var records: [Source.ID] = []
        for text in ids {
            let named = try await options.namedEntries(text, store)
            removals += named.ids
            records += [named.source].compactMap { $0 }
        }
        let snapshot = try await store.storage.snapshot()
        if let missing = Set(removals).subtracting(try await snapshot.revisions(of: removals).keys).first {
            throw RoostError(.notFound, "no entry has the id \(missing.text); nothing was removed")
        }
        if let source {
            let file = RecordReader.sourceID(URL(fileURLWithPath: source))
            let folder = file.hasSuffix("/") ? file : file + "/"
            let known = try await snapshot.sources().map(\.id).filter {
                $0 == source || $0 == file || $0.hasPrefix(folder)
            }
            records += known
            let filter = EntryFilter(sources: Set(known + [source, file]))
            var found: [Entry.ID] = []
            for try await page in snapshot.headerPages(matching: filter) { found += page.headers.map(\.id) }
            guard !found.isEmpty || !known.isEmpty else {
                throw RoostError(
                    .notFound,
                    "no entry has the source '\(Terminal.line(source))'; nothing was removed")
            }
            removals += found
        }
        let unique = Set(removals)
        if dryRun {
            if !options.quiet { try await list(unique, snapshot) }
        } else {
            guard try Confirmation.permitsRemoval(of: unique.count, "entries", isConfirmed: yes) else {
                try await store.close()
                options.note("nothing was removed")
                throw ExitCode(ExitStatus.nothingFound.rawValue)
            }
            if unique.count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
            try await store.remove(removals, sources: records)
        }
        try await store.close()
        Terminal.write(
            "\(dryRun ? "would remove" : "removed") \(Count.text(unique.count, "entry", "entries"))")
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
