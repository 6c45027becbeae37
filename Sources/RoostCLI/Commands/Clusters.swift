import ArgumentParser
import Foundation
import Roost
import RoostServer

struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Show, label and edit the clusters.",
        discussion: """
            `roost recluster` creates the clusters.

            Examples:
              roost cluster list
              roost cluster show 94254dc3
              roost cluster label 94254dc3 "Night sky"
            """,
        subcommands: [
            ListClusters.self, ShowCluster.self, ListOutliers.self, DiffClusters.self,
            LabelCluster.self, AutolabelClusters.self, MergeClusters.self,
            SplitCluster.self, DeleteCluster.self, FindClusters.self, MoveEntries.self,
        ], defaultSubcommand: ListClusters.self)

    struct ListClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: Operations.summary(of: "clusters"),
            discussion: """
                Prints a header and a line for each cluster. The topics of a group, and the groups of a larger \
                cluster, follow it, indented. The columns are:

                  size        The number of members; for a cluster that contains other clusters, the sum of \
                their sizes.
                  cohesion    The mean cosine similarity of the members to the centroid of the cluster; 0.5 \
                to 0.8 is typical of texts on one subject.
                  separation  The cosine distance from the centroid to the nearest other centroid. \
                Terminals with fewer than 60 columns do not show it.
                  id          The first digits of the id, which other commands accept as an ID.

                The note 'label may no longer fit' appears if you set the label and fewer than half of the \
                members at that time remain, or the cluster has more than doubled.

                Examples:
                  roost cluster list
                  roost cluster list --format csv
                """)

        @OptionGroup var options: StoreOptions

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let store = try await options.open()
            let clusters = try await store.storage.fetchClusters()
            try await store.close()
            let tree = ClusterTree(clusters)
            if output.format != .text {
                var writer = ListWriter(output, ClusterDocument.columns)
                try writer.write(tree.documents.map(\.row))
                writer.finish(options)
            } else if !clusters.isEmpty {
                for line in tree.lines(withBars: false) { Terminal.write(line) }
            }
            if clusters.isEmpty {
                options.note(StoreOptions.noClusters)
            }
            if let remark = tree.outdatedLabelRemark { options.note(remark) }
        }
    }
}

extension ClusterCommand {
    struct ListOutliers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "outliers", abstract: "List the outliers of the last run, with the reasons.",
            discussion: """
                Prints each entry's similarity to the nearest cluster, its id, its title and the reason. \
                The entries most similar to a cluster come first. `roost list --cluster none` also lists the \
                entries that were added or taken out of their clusters since then. The reasons are:

                  far from every cluster  The entry is not similar enough to any cluster.
                  no words                Its text has neither letters nor digits.
                  no known words          Its vector is zero: the model knows none of its words.

                `roost recluster --max-outliers 0` assigns all entries that it can, and `roost cluster move` \
                single ones.

                Examples:
                  roost cluster outliers
                  roost cluster outliers -n100 --format csv
                """)

        private struct Reason: Encodable {
            var reason: String
            var nearest: String?
        }

        @OptionGroup var options: StoreOptions

        @OptionGroup var limitOption: LimitOption

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let store = try await options.open()
            let outliers = try await store.clusters.outliers()
            let hasClusters = try await !store.storage.fetchClusters().isEmpty
            try await store.close()
            let shown = outliers.prefix(limitOption.limit ?? 20)
            var writer = ListWriter(output, Self.columns)
            try writer.write(shown.map(row))
            writer.finish(options)
            if outliers.isEmpty {
                options.note(
                    hasClusters
                        ? "the last run of `roost recluster` found no outliers"
                        : StoreOptions.noClusters)
            }
            if outliers.count > shown.count { options.note("and \(outliers.count - shown.count) more") }
        }

        private static let columns = [
            TableColumn(name: "similarity", isNumber: true), EntryRow.idColumn,
            TableColumn(name: "title", isFlexible: true), TableColumn(name: "reason", style: .dim),
            TableColumn(name: "path", isDetail: true), TableColumn(name: "nearest", isDetail: true),
        ]

        private func row(_ outlier: ClusterOutlier) -> ListRow {
            let entry = outlier.entry
            var document = EntryDocument(entry)
            document.similarity = outlier.similarity
            let reason = Reason(reason: outlier.reason.rawValue, nearest: outlier.nearest?.text)
            return ListRow(
                cells: [
                    Terminal.score(outlier.similarity), entry.id.text, EntryTitle.text(of: entry),
                    outlier.explanation, entry.displayPath, reason.nearest ?? "",
                ], document: JoinedDocument(document, reason), path: entry.listedPath)
        }
    }

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
            let hierarchy = ClusterHierarchy(matches.map(\.cluster))
            var writer = ListWriter(output, Self.columns)
            try writer.write(
                matches.prefix(limitOption.limit ?? 5).map { match in
                    let document = hierarchy.document(match)
                    return ListRow(
                        cells: [
                            Terminal.score(match.similarity), "\(document.size)",
                            Terminal.line(document.label), document.id,
                        ], document: document)
                })
            writer.finish(options)
            if matches.isEmpty {
                options.note(StoreOptions.noClusters)
            }
        }

        private static let columns = [
            TableColumn(name: "similarity", isNumber: true), TableColumn(name: "size", isNumber: true),
            TableColumn(name: "label", style: .bold, isFlexible: true), EntryRow.idColumn,
        ]
    }

    struct MoveEntries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: Operations.summary(of: "move_entries"),
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
        @OptionGroup var output: JSONOption

        @Argument(
            help: ArgumentHelp(StoreOptions.entryHelp, valueName: "ID|FILE"))
        var ids: [String] = []

        @OptionGroup var filters: FilterOptions

        @Option(
            name: .long,
            help: ArgumentHelp(
                StoreOptions.clusterHelp + " 'none' removes the entries from their clusters.", valueName: "ID"
            ))
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
                entries += try await snapshot.ids(matching: filter)
                if entries.isEmpty { throw RoostError(.notFound, "nothing was moved: " + filters.missReason) }
            }
            let result: MoveDocument = try await options.run(
                "move_entries",
                ["cluster": .string(to), "entries": .array(entries.map { .string($0.text) })], store)
            try await store.close()
            if output.json { return try Terminal.json(result) }
            let name =
                result.cluster.map { "to \(Terminal.line($0.label, limit: 60))" } ?? "out of their clusters"
            let all = Count.text(Set(entries).count, "entry", "entries")
            options.note("moved \(result.moved) of \(all) \(name)")
        }
    }
}

extension ClusterDocument {
    static let columns = [
        TableColumn(name: "id"), TableColumn(name: "label"), TableColumn(name: "size", isNumber: true),
        TableColumn(name: "cohesion", isNumber: true), TableColumn(name: "separation", isNumber: true),
        TableColumn(name: "parent"), TableColumn(name: "keywords"),
    ]

    var row: ListRow {
        ListRow(
            cells: [
                id, Terminal.line(label), "\(size)", cohesion.map(Terminal.score) ?? "",
                separation.map(Terminal.score) ?? "", parent ?? "",
                keywords.map { Terminal.line($0) }.joined(separator: ";"),
            ], document: self)
    }

    var line: String {
        ClusterTree.lines([(self, 0)], withBars: false, hasHeader: false).joined()
    }
}

struct ClusterTree {
    private typealias Node = ClusterHierarchy.Node

    /// All clusters, largest first, each followed by its children.
    private let all: [ClusterHierarchy.Node]

    init(_ clusters: [Cluster]) { all = ClusterHierarchy(clusters).nodes }

    var documents: [ClusterDocument] { all.map(\.document) }

    func lines(withBars hasBars: Bool, hasIDs: Bool = true) -> [String] {
        Self.lines(
            all.map { ($0.document, $0.depth) }, withBars: hasBars, hasHeader: true, hasIDs: hasIDs)
    }

    /// The minimum width of a terminal on which the separation is shown.
    private static let minimumWidthWithSeparation = 60
    /// The width of the longest bar, a sixth of the terminal, so that most of the width is left for labels.
    private static let barWidth = Terminal.columns.map { min(max($0 / 6, 4), 20) } ?? 20

    fileprivate static func lines(
        _ rows: [(cluster: ClusterDocument, depth: Int)], withBars hasBars: Bool, hasHeader: Bool,
        hasIDs: Bool = true
    ) -> [String] {
        let isNarrow = Terminal.columns.map { $0 < minimumWidthWithSeparation } ?? false
        let names = hasBars ? [""] : isNarrow ? ["cohesion"] : ["cohesion", "separation"]
        let notes = rows.contains { $0.cluster.labelOutdated == true } ? ["(label may no longer fit)"] : []
        let columns =
            [TableColumn(name: "size", isNumber: true)]
            + names.map { TableColumn(name: $0, isNumber: !hasBars) }
            + [TableColumn(name: "label", style: .bold, isFlexible: true)]
            + (hasIDs ? [TableColumn(name: "id", style: .dim)] : [])
            + notes.map { _ in TableColumn(name: "", isFlexible: true) }
        let largest = rows.map(\.cluster.size).max() ?? 0
        let cells = rows.map { cluster, depth -> [String] in
            let figures = [cluster.cohesion, cluster.separation].map { $0.map(Terminal.score) ?? "-" }
            let label = String(repeating: "  ", count: depth) + Terminal.line(cluster.label)
            return ["\(cluster.size)"]
                + (hasBars ? [bar(cluster.size, of: largest)] : Array(figures.prefix(names.count)))
                + [label] + (hasIDs ? [String(cluster.id.prefix(8))] : [])
                + notes.map { cluster.labelOutdated == true ? $0 : "" }
        }
        let layout = TableLayout(columns, rows: cells, width: Terminal.columns)
        return (hasHeader ? [layout.header] : []) + cells.map { layout.line($0) }
    }

    /// Returns a bar, filled with spaces to the full width. The bar of a cluster with members is never empty.
    private static func bar(_ size: Int, of largest: Int) -> String {
        let length = Int((Double(size) / Double(max(1, largest)) * Double(barWidth)).rounded())
        return String(repeating: "#", count: max(min(1, size), length))
            .padding(toLength: barWidth, withPad: " ", startingAt: 0)
    }

    /// A sentence about labels that probably no longer fit; `nil` if all fit.
    var outdatedLabelRemark: String? {
        let labels = all.filter { $0.document.labelOutdated == true }.map(\.document.label)
        guard !labels.isEmpty else { return nil }
        let names = labels.prefix(Terminal.maximumListedItems).map { "'\(Terminal.line($0, limit: 60))'" }
        return (labels.count == 1 ? "the label " : "the labels ") + names.joined(separator: ", ")
            + (labels.count > names.count ? " and \(labels.count - names.count) more" : "")
            + " may no longer fit: fewer than half of the members at the time of labeling remain, or the "
            + "cluster has more than doubled; `roost cluster label` sets a label or confirms it"
    }
}

enum EndedClusterLines {
    static let maximumCount = 10
    /// Follows the name of an ended cluster that a person labeled.
    static let labelRemark = ", a label that you set"

    static func lines(_ ended: [Cluster]) -> [String] {
        var lines = ended.prefix(maximumCount).map { cluster in
            "ended    \(Terminal.line(cluster.label, limit: 60)) (\(cluster.members.count)) "
                + Terminal.dim(String(cluster.id.text.prefix(8)))
                + (cluster.isLabelPinned ? labelRemark : "")
        }
        if ended.count > lines.count {
            lines.append("and \(ended.count - lines.count) more earlier clusters ended")
        }
        return lines
    }
}

extension ClusterOutlier {
    fileprivate var explanation: String {
        switch reason {
        case .distant: "far from every cluster"
        case .noWords: "no words"
        case .zeroVector: "no known words"
        }
    }
}
