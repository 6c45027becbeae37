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
            commandName: "list", abstract: "List the clusters, largest first.",
            discussion: """
                Prints a header and a line for each cluster. Clusters inside a larger cluster follow it, \
                indented. The columns are:

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
                for line in tree.lines(.figures) { Terminal.write(line) }
            }
            if clusters.isEmpty {
                options.note("the store has no clusters yet; run `roost recluster` to create them")
            }
            if let remark = tree.outdatedLabelRemark { options.note(remark) }
        }
    }
}
