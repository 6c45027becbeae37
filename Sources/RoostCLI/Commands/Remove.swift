import ArgumentParser
import Foundation
import Roost
import RoostServer

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: Operations.summary(of: "forget"),
        discussion: """
            Give ids or files, or options such as --source and --tag; the entries that match all of the \
            options are removed. Files on disk are not removed. To remove more than 20 entries, confirm it \
            or use --yes. Before Roost removes 100 entries or more, it creates a backup. `roost undo` \
            restores the entries.

            \(StoreOptions.entryRule) The next `roost ingest` of the file adds its entries again.

            Examples:
              roost remove e2d8942a d511e8df
              roost remove notes/birds.md
              roost remove --source notes/old --dry-run
              roost remove --tag draft --where status=done
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    @Argument(
        help: ArgumentHelp("Ids of entries, id prefixes, or paths of ingested files.", valueName: "ID|FILE"))
    var ids: [String] = []

    @OptionGroup var filters: FilterOptions

    @Flag(name: .long, help: "Show what would be removed, without removing it.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Remove more than 20 entries without confirmation.")
    var yes = false

    func validate() throws {
        guard !ids.isEmpty || !filters.isEmpty else {
            throw ValidationError("give ids of entries, or options that select entries, such as --source")
        }
        // A reader could expect the entries that match both, or those that match one of them.
        guard ids.isEmpty || filters.isEmpty else {
            throw ValidationError("give either ids of entries or options that select entries, not both")
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
        if !filters.isEmpty { selection = try await filteredSelection(store, snapshot) }
        let found = Set(try await selection.contents(of: snapshot).entries)
        var count = found.count
        if dryRun {
            if !options.quiet, !output.json { try await list(found, snapshot) }
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
        if output.json {
            var document = RemovalDocument(removed: dryRun ? nil : count, matching: found.count)
            try await document.list(EntryFilter(ids: found), in: snapshot)
            try Terminal.json(document)
            return try await store.close()
        }
        try await store.close()
        Terminal.write("\(dryRun ? "would remove" : "removed") \(Count.text(count, "entry", "entries"))")
    }

    /// Returns the sources if only sources are named, so that these are removed with their records, or else
    /// the entries that match the options.
    private func filteredSelection(
        _ store: KnowledgeStore, _ snapshot: any StorageSnapshot
    ) async throws -> RemovalSelection {
        var selection = RemovalSelection()
        if filters.hasOnlySources {
            selection.names = filters.source
        } else {
            let filter = try await filters.filter(options, store)
            selection.entries = try await snapshot.ids(matching: filter)
        }
        guard try await !selection.contents(of: snapshot).isEmpty else {
            throw RoostError(.notFound, "nothing was removed: " + filters.missReason)
        }
        return selection
    }

    /// Prints entries as `roost list` does, in the same order.
    private func list(_ ids: Set<Entry.ID>, _ snapshot: any StorageSnapshot) async throws {
        var writer = ListWriter(nil, EntryRow.columns)
        for try await page in snapshot.entryPages(matching: EntryFilter(ids: ids)) {
            try writer.write(page.entries.map(EntryRow.row))
        }
        writer.finish(options)
    }
}

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Revert the last command that changed the store.",
        discussion: """
            Run it again to revert the command before it, up to the last 20. A command can be reverted if \
            nothing else has changed the same entries, sources and clusters since. For `roost mcp` and \
            `roost serve`, each request of a client is one change. Restored entries are appended after the \
            other entries. The commands init, doctor, copy and folder cannot be reverted, and neither files \
            nor the list of folders change.

            Examples:
              roost undo --dry-run
              roost undo
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    @Flag(name: .long, help: "Show what would be reverted, without changing anything.")
    var dryRun = false

    func run() async throws {
        let store = try await options.open(recordingUndo: false)
        let report = try await store.undo(isDryRun: dryRun)
        try await store.close()
        if output.json { return try Terminal.json(report) }
        let parts = [
            "\(report.removed) removed", "\(report.restored) restored",
            report.restoresClusters ? "clusters restored" : nil,
        ].compactMap(\.self).joined(separator: ", ")
        Terminal.write("\(dryRun ? "would revert" : "reverted") `roost \(report.command)`: \(parts)")
    }
}
