import ArgumentParser
import Foundation
import Roost
import RoostServer

extension ClusterCommand {
    struct FindClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "find", abstract: "Find the clusters that are similar to a text.",
            discussion: """
                Compares the text with the centroids, so it also finds clusters whose labels do not contain \
                its words. Prints the cosine similarity, the size, the label and the id of each cluster, the \
                most similar one first.

                Examples:
                  roost cluster find birds in spring
                  roost cluster find taxes -n1 --json
                """)

        @OptionGroup var options: StoreOptions

        @Argument(help: "The text; it needs no quotes.")
        var text: [String]

        @OptionGroup var limitOption: LimitOption

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let store = try await options.open()
            let matches = try await store.clusters.matching(text.joined(separator: " "))
            try await store.close()
            let sizes = ClusterForest(matches.map(\.cluster))
            var writer = ListWriter(output, Self.columns)
            try writer.write(
                matches.prefix(limitOption.limit ?? 5).map { match in
                    let size = sizes.size(of: match.cluster)
                    var document = ClusterDocument(match.cluster, size: size)
                    document.similarity = match.similarity
                    return ListRow(
                        cells: [
                            Terminal.score(match.similarity), "\(size)", Terminal.line(match.cluster.label),
                            match.cluster.id.text,
                        ], document: document)
                })
            writer.finish(options)
            if matches.isEmpty {
                options.note("the store has no clusters yet; run `roost recluster` to create them")
            }
        }

        private static let columns = [
            TableColumn(name: "similarity", isNumber: true), TableColumn(name: "size", isNumber: true),
            TableColumn(name: "label", style: .bold, isFlexible: true), EntryRow.idColumn,
        ]
    }

    struct MoveEntries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Move entries to another cluster.",
            discussion: """
                Moves the entries with the given ids or files, or those that match all of the given \
                options. A cluster without entries ends. The entries stay in the cluster until their texts \
                change; the next `roost recluster` can assign them differently. `roost undo` reverts the \
                move.

                \(StoreOptions.entryRule)

                Examples:
                  roost cluster move e2d8942a --to 94254dc3
                  roost cluster move e2d8942a d511e8df --to "Night sky"
                  roost cluster move --tag astronomy --to "Night sky"
                """)

        @OptionGroup var options: StoreOptions

        @Argument(
            help: ArgumentHelp(StoreOptions.entryHelp, valueName: "ID|FILE"))
        var ids: [String] = []

        @OptionGroup var filters: FilterOptions

        @Option(
            name: .long,
            help: ArgumentHelp(
                "The cluster with this id or label, or 'none' to remove the entries from their clusters.",
                valueName: "ID"))
        var to: String

        func validate() throws {
            guard ids.isEmpty != filters.isEmpty else {
                throw ValidationError("give either ids of entries or options that select entries")
            }
        }

        func run() async throws {
            let store = try await options.open()
            var entries: [Entry.ID] = []
            for text in ids { entries += try await options.namedEntries(text, store).ids }
            if !filters.isEmpty {
                let filter = try await filters.filter(options, store)
                let snapshot = try await store.storage.snapshot()
                for try await page in snapshot.headerPages(matching: filter) {
                    entries += page.headers.map(\.id)
                }
                if entries.isEmpty { throw RoostError(.notFound, "nothing was moved: " + filters.missReason) }
            }
            let isNone = to.lowercased() == EntryFilter.unclusteredName
            let cluster = isNone ? nil : try await options.cluster(to, store)
            let moved = try await store.clusters.move(entries, to: cluster?.id)
            try await store.close()
            let name = cluster.map { "to \(Terminal.line($0.label, limit: 60))" } ?? "out of their clusters"
            options.note("moved \(moved) of \(Count.text(Set(entries).count, "entry", "entries")) \(name)")
        }
    }
}
