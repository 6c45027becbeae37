import ArgumentParser
import Foundation
import Roost
import RoostServer

extension ClusterCommand {
    struct ShowCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a cluster and its members.",
            discussion: """
                Prints the size and quality of the cluster, the number of members that were created in each \
                of the last 12 months, three representative entries, and the members (most similar to the \
                centroid first). For a cluster that contains other clusters, prints those clusters instead \
                of members. The figures are:

                  cohesion    The mean cosine similarity of the members to the centroid, at most 1.
                  separation  The cosine distance from the centroid to the nearest other centroid, 0 to 2.
                  silhouette  How much nearer the members are to each other than to the nearest other \
                cluster, -1 to 1; below 0, the cluster overlaps another cluster.
                  stability   The share of random samples of the entries in which clustering finds the \
                cluster again, 0 to 1. Missing for a cluster that you edited, and for one with hardly any \
                members in the samples.

                Examples:
                  roost cluster show 94254dc3
                  roost cluster show star, light, moon -n100
                """)

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp(StoreOptions.clusterHelp, valueName: "ID"))
        var id: [String]

        @OptionGroup var limitOption: LimitOption

        @Flag(name: .long, help: "Print the cluster with all members as JSON.")
        var json = false

        private static let listedCount = 20
        private static let representativeCount = 3

        func run() async throws {
            let store = try await options.open()
            let snapshot = try await store.storage.snapshot()
            let clusters = try await snapshot.clusters()
            let found = try clusters.named(id.joined(separator: " "))
            let members = try await EntryDocument.members(of: found, in: snapshot)
            try await store.close()
            let hierarchy = ClusterHierarchy(clusters)
            let months = MonthCounts.of(members.compactMap(\.createdAt))
            let document = Document(hierarchy.document(found), Members(months: months, members: members))
            if json { return try Terminal.json(document) }
            showFigures(of: document.output)
            showMonths(document.addition.months)
            showRepresentatives(of: document)
            showContents(of: document, hierarchy.nodes.map(\.document))
        }

        private struct Members: Encodable {
            /// The number of members that were created in each month, by `yyyy-MM`.
            var months: [String: Int]
            var members: [EntryDocument]
        }

        private typealias Document = JoinedDocument<ClusterDocument, Members>

        private static let nameWidth = 12
        private static let memberColumns = [
            TableColumn(name: ""), TableColumn(name: "", style: .dim),
            TableColumn(name: "", isFlexible: true),
        ]

        /// Writes a figure.
        private func line(_ name: String, _ value: String, isSentence: Bool = false) {
            let name = name.padding(toLength: Self.nameWidth, withPad: " ", startingAt: 0)
            let value = isSentence ? value : Self.fitted(value, indentation: Self.nameWidth)
            Terminal.write(Terminal.dim(name) + value)
        }

        private static func fitted(_ text: String, indentation: Int = 0) -> String {
            Terminal.columns.map { TextWidth.shortened(text, to: max(1, $0 - indentation)) } ?? text
        }

        private func showFigures(of group: ClusterDocument) {
            Terminal.write(Terminal.bold(Self.fitted(Terminal.line(group.label))))
            line("id", group.id)
            if group.pinned {
                line(
                    "label",
                    group.labelOutdated == true
                        ? "set by you; it may no longer fit, because fewer than half of the members at that "
                            + "time remain or the cluster has more than doubled in size"
                        : "set by you", isSentence: true)
            }
            if let name = group.labeledBy { line("label", "set by \(Terminal.line(name, limit: 60))") }
            line("size", Count.text(group.size, "entry", "entries"))
            let figures: [(String, Float?)] = [
                ("cohesion", group.cohesion), ("separation", group.separation),
                ("silhouette", group.silhouette), ("stability", group.stability),
            ]
            for (name, value) in figures { if let value { line(name, Terminal.score(value)) } }
            if !group.keywords.isEmpty {
                line("keywords", Terminal.line(group.keywords.joined(separator: ", ")))
            }
        }

        private static let shownMonths = 12

        private func showMonths(_ months: [String: Int]) {
            let latest = months.sorted { $0.key < $1.key }.suffix(Self.shownMonths)
            guard months.count > 1, let most = latest.map(\.value).max() else { return }
            Terminal.write("\nMembers by month" + (months.count > latest.count ? " (latest):" : ":"))
            for (month, count) in latest {
                let bar = String(repeating: "#", count: max(1, 20 * count / most))
                Terminal.write("  \(month)  \(bar) \(count)")
            }
        }

        private func showRepresentatives(of document: Document) {
            let members = Dictionary(document.addition.members.map { ($0.id, $0) }) { first, _ in first }
            let chosen = document.output.representatives.compactMap { members[$0] }
            guard !chosen.isEmpty else { return }
            Terminal.write("\nRepresentative entries:")
            for member in chosen.prefix(Self.representativeCount) {
                Terminal.write(
                    TableLayout.indentedLine(
                        [String(member.id.prefix(8)), Terminal.line(member.title)],
                        Array(Self.memberColumns.dropFirst())))
            }
        }

        private func showContents(of document: Document, _ clusters: [ClusterDocument]) {
            let children = clusters.filter { $0.parent == document.output.id }
            guard children.isEmpty else {
                Terminal.write("\nClusters in this cluster:")
                let columns = [
                    TableColumn(name: ""), TableColumn(name: "", style: .bold, isFlexible: true),
                    TableColumn(name: "", style: .dim),
                ]
                for child in children {
                    let cells = ["\(child.size)", Terminal.line(child.label), String(child.id.prefix(8))]
                    Terminal.write(TableLayout.indentedLine(cells, columns))
                }
                return
            }
            let limit = limitOption.limit ?? Self.listedCount
            Terminal.write("\nMembers, with their similarity to the centroid:")
            let members = document.addition.members
            for member in members.prefix(limit) {
                let cells = [
                    Terminal.score(member.similarity ?? 0), String(member.id.prefix(8)),
                    Terminal.line(member.title),
                ]
                Terminal.write(TableLayout.indentedLine(cells, Self.memberColumns))
            }
            if members.count > limit { options.note("and \(members.count - limit) more") }
        }
    }
}
