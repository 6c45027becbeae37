import ArgumentParser
import Foundation
import Roost
import RoostRemote

/// Has a chat model name clusters, and says what is sent where.
struct Autolabeling {
    let store: KnowledgeStore
    let options: StoreOptions
    let model: RemoteModel

    private static let messageLimit = 3

    var labeler: RemoteLabeler { RemoteLabeler(model) }

    func run(_ requests: [ClusterLabelingRequest]) async throws -> ClusterLabelingReport {
        guard !requests.isEmpty else {
            options.note("every cluster has a name of \(labeler.name) or of yours; --again asks anew")
            return ClusterLabelingReport()
        }
        let texts = requests.reduce(0) { $0 + $1.excerpt.texts.count }
        let bytes = requests.reduce(0) { sum, request in
            (request.excerpt.texts + request.excerpt.keywords).reduce(sum) { $0 + $1.utf8.count }
        }
        let place = "\(model.endpoint.host ?? "")\(model.endpoint.port.map { ":\($0)" } ?? "")"
        options.note(
            "sending keywords and the beginnings of \(texts) texts of \(requests.count) clusters "
                + "(\(bytes) bytes) to \(Terminal.line(model.name, limit: 60)) at \(place)")
        let report = try await store.labelClusters(with: labeler, requests)
        for (cluster, reason) in report.refused.prefix(Self.messageLimit) {
            options.note("cluster \(cluster.text.prefix(8)) keeps its name: \(reason)")
        }
        if report.refused.count > Self.messageLimit {
            options.note("and \(report.refused.count - Self.messageLimit) more keep theirs")
        }
        if report.outdatedCount > 0 {
            options.note("\(report.outdatedCount) clusters were named by you or went meanwhile")
        }
        return report
    }

    /// - Throws: what ended the asking, with what became of the rest.
    func finish(_ report: ClusterLabelingReport, of count: Int) throws {
        guard let failure = report.failure else { return }
        throw EmbedderError(
            failure.code, "\(report.named.count) of \(count) clusters were named; then: \(failure.message)",
            isRetryable: failure.isRetryable)
    }
}

extension ClusterCommand {
    struct AutolabelClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "autolabel", abstract: "Have a chat model name clusters.",
            discussion: """
                Asks an OpenAI-compatible server of your settings (label-endpoint, label-model). What is \
                sent are a cluster's keywords and the beginnings of its most typical texts, five at most; \
                --dry-run shows it. Names that you gave stay.
                """)

        @OptionGroup var options: StoreOptions

        @Argument(
            help: ArgumentHelp("Ids, beginnings of ids, or labels; all where none is given.", valueName: "ID")
        )
        var ids: [String] = []

        @Option(name: .long, help: "The chat model's name there, instead of the setting label-model.")
        var model: String?

        @Flag(name: .long, help: "Also those that this model has named already.")
        var again = false

        @Flag(name: .long, help: "Show what would be sent, and send nothing.")
        var dryRun = false

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func run() async throws {
            // Whoever only looks need not have chosen a model yet.
            let remote =
                dryRun
                ? try? RemoteSettings().labelingModel(model) : try RemoteSettings().labelingModel(model)
            let store = try await options.open()
            var chosen: [Cluster.ID] = []
            for id in ids { chosen.append(try await options.cluster(id, store).id) }
            let requests = try await store.labelingRequests(
                of: ids.isEmpty ? nil : chosen,
                unlessLabeledBy: again ? nil : remote.map { RemoteLabeler($0).name })
            guard let remote, !dryRun else {
                try await store.close()
                return try show(requests)
            }
            let labeling = Autolabeling(store: store, options: options, model: remote)
            let report = try await labeling.run(requests)
            try await store.close()
            if json {
                try Terminal.json(report.named.map { ClusterDocument($0) })
            } else {
                let before = Dictionary(requests.map { ($0.cluster, $0.label) }) { first, _ in first }
                for cluster in report.named {
                    Terminal.write(
                        "\(Terminal.bold(Terminal.line(cluster.label)))  "
                            + Terminal.dim(
                                "\(cluster.id.text.prefix(8)), was "
                                    + Terminal.line(before[cluster.id] ?? "", limit: 60)))
                }
            }
            try labeling.finish(report, of: requests.count)
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
            options.note("\(requests.count) clusters; nothing was sent")
        }
    }
}
