import ArgumentParser
import Foundation
import Roost
import RoostRemote
import RoostServer

extension ClusterCommand {
    struct AutolabelClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "autolabel", abstract: "Label clusters with a chat model.",
            discussion: """
                Requests labels from the OpenAI-compatible server in your settings (label-endpoint, \
                label-model). For each cluster, Roost sends the keywords and the beginnings of at most \
                five typical texts; --dry-run shows them. Labels that you set are kept.

                Examples:
                  roost cluster autolabel --dry-run
                  roost cluster autolabel
                  roost cluster autolabel 94254dc3 --model llama3.2 --again
                """)

        @OptionGroup var options: StoreOptions

        @Argument(
            help: ArgumentHelp(
                "Ids, id prefixes, or labels of clusters. Default: all clusters.", valueName: "ID"))
        var ids: [String] = []

        @Option(name: .long, help: "The name of the chat model. Default: the label-model setting.")
        var model: String?

        @Flag(name: .long, help: "Also label clusters that this model has labeled before.")
        var again = false

        @Flag(name: .long, help: "Show what would be sent, without sending it.")
        var dryRun = false

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        func run() async throws {
            // A dry run does not require a configured model.
            let remote =
                dryRun
                ? try? RemoteSettings().labelingModel(model) : try RemoteSettings().labelingModel(model)
            let store = try await options.open()
            var chosen: [Cluster.ID] = []
            for id in ids { chosen.append(try await options.cluster(id, store).id) }
            let requests = try await store.clusters.labelingRequests(
                of: ids.isEmpty ? nil : chosen,
                unlessLabeledBy: again ? nil : remote.map { RemoteLabeler($0).name })
            guard let remote, !dryRun else {
                try await store.close()
                return try show(requests)
            }
            let report = try await label(requests, in: store, with: remote)
            try await store.close()
            if json {
                try Terminal.json(report.labeled.map { ClusterDocument($0) })
            } else {
                let before = Dictionary(requests.map { ($0.cluster, $0.label) }) { first, _ in first }
                for cluster in report.labeled {
                    Terminal.write(
                        "\(Terminal.bold(Terminal.line(cluster.label)))  "
                            + Terminal.dim(
                                "\(cluster.id.text.prefix(8)), was "
                                    + Terminal.line(before[cluster.id] ?? "", limit: 60)))
                }
            }
            guard let failure = report.failure else { return }
            throw EmbedderError(
                failure.code,
                "labeled \(report.labeled.count) of \(requests.count) clusters, then failed: "
                    + failure.message,
                isRetryable: failure.isRetryable)
        }

        /// Labels clusters, and reports what is sent and to which server.
        private func label(
            _ requests: [ClusterLabelingRequest], in store: KnowledgeStore, with model: RemoteModel
        ) async throws -> ClusterLabelingReport {
            let labeler = RemoteLabeler(model)
            guard !requests.isEmpty else {
                options.note(
                    "every cluster already has a label from \(labeler.name) or from you; use --again to "
                        + "replace the labels from \(labeler.name)")
                return ClusterLabelingReport()
            }
            let texts = requests.reduce(0) { $0 + $1.excerpt.texts.count }
            let server = "\(model.endpoint.host ?? "")\(model.endpoint.port.map { ":\($0)" } ?? "")"
            options.note(
                "sending keywords and the beginnings of \(Count.text(texts, "text")) from "
                    + "\(Count.text(requests.count, "cluster")) to \(Terminal.line(model.name, limit: 60)) "
                    + "at \(server)")
            let report = try await store.clusters.label(with: labeler, requests)
            for refusal in report.refused.prefix(Terminal.maximumListedItems) {
                options.note("cluster \(refusal.cluster.text.prefix(8)) keeps its label: \(refusal.reason)")
            }
            if report.outdatedCount > 0 {
                options.note(
                    "skipped \(Count.text(report.outdatedCount, "cluster")) labeled or removed in the meantime"
                )
            }
            return report
        }

        private func show(_ requests: [ClusterLabelingRequest]) throws {
            struct Document: Encodable {
                var cluster: String
                var label: String
                var sent: ClusterExcerpt
            }
            if json {
                return try Terminal.json(
                    requests.map { Document(cluster: $0.cluster.text, label: $0.label, sent: $0.excerpt) })
            }
            for request in requests {
                Terminal.write(
                    "\(Terminal.bold(Terminal.line(request.label)))  "
                        + Terminal.dim(String(request.cluster.text.prefix(8))))
                Terminal.write(
                    "  keywords: " + Terminal.line(request.excerpt.keywords.joined(separator: ", ")))
                for text in request.excerpt.texts {
                    Terminal.write("  text: " + Terminal.line(text, limit: text.count))
                }
            }
            options.note("\(Count.text(requests.count, "cluster")); nothing was sent")
        }
    }
}
