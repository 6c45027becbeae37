import ArgumentParser
import Foundation
import Roost

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
            ListClusters.self, ShowCluster.self, DiffClusters.self, ClusterDriftCommand.self,
            LabelCluster.self, AutolabelClusters.self, MergeClusters.self, SplitCluster.self,
            DeleteCluster.self,
        ])

    struct ListClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the clusters, largest first.",
            discussion: """
                Prints the size, cohesion, label and id of each cluster. Exits with 1 if there are none.

                Examples:
                  roost cluster list
                  roost cluster list --json
                """)

        @OptionGroup var options: StoreOptions

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let clusters = try await store.storage.fetchClusters()
            try await store.close()
            let tree = ClusterTree(clusters)
            if json { try Terminal.json(tree.documents) }
            guard !clusters.isEmpty else {
                options.note("the store has no clusters yet; run `roost recluster` to create them")
                throw ExitCode(ExitStatus.nothingFound.rawValue)
            }
            if !json { for line in tree.lines { Terminal.write(line) } }
        }
    }

    struct ShowCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a cluster and its members.",
            discussion: """
                Members are listed by their similarity to the centroid, most similar first.

                Examples:
                  roost cluster show 94254dc3
                  roost cluster show "star, light, moon" -n 100
                """)

        @OptionGroup var options: StoreOptions

        @Argument(
            help: ArgumentHelp("A cluster's id, the beginning of its id, or its label.", valueName: "ID"))
        var id: String

        @Option(
            name: .customShort("n"), parsing: .unconditional,
            help: ArgumentHelp("The maximum number of members to show.", valueName: "N"))
        var limit = 20

        @Flag(name: .long, help: "Print the cluster with all members as JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let cluster = try await options.cluster(id, store)
            let group = try await store.exportClusters().cluster(cluster.id)
            try await store.close()
            guard let group else {
                throw RoostError(
                    .notFound,
                    "cannot show the cluster: another process replaced it; run `roost cluster list` again")
            }
            if json { return try Terminal.json(group) }
            Terminal.write(Terminal.bold(Terminal.line(group.label)))
            let figures: [(String, Float?)] = [
                ("cohesion", group.cohesion), ("separation", group.separation),
                ("silhouette", group.silhouette), ("stability", group.stability),
            ]
            var facts = ["\(group.id)", "\(group.size) members"]
            for (name, value) in figures {
                if let value { facts.append("\(name) \(Terminal.score(value))") }
            }
            if let name = group.labeledBy { facts.append("labeled by \(Terminal.line(name, limit: 60))") }
            Terminal.write(facts.joined(separator: ", "))
            Terminal.write(Terminal.line(group.keywords.joined(separator: ", ")))
            for child in group.children ?? [] {
                Terminal.write(
                    "\(child.size)  \(Terminal.bold(Terminal.line(child.label)))  "
                        + Terminal.dim(String(child.id.prefix(8))))
            }
            guard group.children == nil else { return }
            for member in group.members.prefix(max(0, limit)) {
                Terminal.write(
                    "\(Terminal.score(member.similarity))  \(Terminal.dim(String(member.id.prefix(8))))  "
                        + Terminal.line(member.content, limit: 100)
                )
            }
            if group.size > limit { options.note("and \(group.size - limit) more") }
        }
    }
}
