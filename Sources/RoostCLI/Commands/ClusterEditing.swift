import ArgumentParser
import Foundation
import Roost
import RoostRemote
import RoostServer

/// Describes, as lines of text, how a run or an edit changed the clusters.
struct LineageLines {
    private static let maximumNames = 8

    let lines: [String]

    /// - Parameter ended: The clusters that a run ended, if its lineage is shown. Labels among them that a
    ///   person set are marked.
    init(_ lineage: ClusterLineage, ended: [Cluster] = []) {
        let labeled = Set(ended.lazy.filter(\.isLabelPinned).map(\.id))
        func name(_ side: ClusterLineage.Side) -> String {
            "\(Terminal.line(side.label, limit: 60)) (\(side.size)) "
                + Terminal.dim(String(side.id.text.prefix(8)))
                + (labeled.contains(side.id) ? EndedClusterLines.labelRemark : "")
        }
        func names(_ sides: [ClusterLineage.Side]) -> String {
            let more = sides.count - Self.maximumNames
            let ordered = sides.filter { labeled.contains($0.id) } + sides.filter { !labeled.contains($0.id) }
            return ordered.prefix(Self.maximumNames).map(name).joined(separator: "; ")
                + (more > 0 ? "; and \(more) more" : "")
        }
        var lines = lineage.events.map { event in
            switch event.kind {
            case .birth: "new      \(names(event.after))"
            case .death:
                "ended    \(names(event.before))"
                    + (event.after.isEmpty ? "" : ", most members now in \(names(event.after))")
            case .split: "split    \(names(event.before)) into \(names(event.after))"
            case .merge: "merged   \(names(event.before)) into \(names(event.after))"
            }
        }
        // A cluster that continues itself in a split or merge is on the line of that event.
        let named = Set(
            lineage.events.flatMap { event in
                Set(event.before.map(\.id)).intersection(event.after.map(\.id))
            })
        var unchanged = 0
        for cluster in lineage.continued where !named.contains(cluster.id) {
            let (joined, left) = (cluster.size - cluster.kept, cluster.sizeBefore - cluster.kept)
            guard joined + left > 0 else {
                unchanged += 1
                continue
            }
            lines.append(
                "changed  \(Terminal.line(cluster.label, limit: 60)) (\(cluster.sizeBefore) to "
                    + "\(cluster.size): \(joined) joined, \(left) left) "
                    + Terminal.dim(String(cluster.id.text.prefix(8))))
        }
        if unchanged > 0 {
            lines.append(
                Count.text(unchanged, "cluster has", "clusters have") + " the same members as before")
        }
        self.lines = lines
    }
}

extension ClusterCommand {
    struct DiffClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff", abstract: Operations.summary(of: "cluster_diff"),
            discussion: """
                Lists new, ended, split, merged and changed clusters. If more than eight clusters were \
                merged, or one was split into more, only eight are named; --json lists all.

                Examples:
                  roost cluster diff
                  roost cluster diff --json
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: JSONOption

        func run() async throws {
            let store = try await options.open()
            let lineage = try await store.clusters.lineage()
            let run = try await store.storage.snapshot().clusteringRun()
            try await store.close()
            if output.json { return try Terminal.json(lineage) }
            for line in LineageLines(lineage).lines { Terminal.write(line) }
            if let stability = run?.stability {
                options.note(
                    String(format: "%.1f%%", 100 * stability)
                        + " of the entries that were in a cluster before and after the last run stayed in "
                        + "the same cluster")
            }
        }
    }

    struct LabelCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "label", abstract: Operations.summary(of: "label_cluster"),
            discussion: """
                Later runs of `roost recluster` keep a label that you set. --unpin removes a label that \
                you or a chat model set, and changes no other label.

                Examples:
                  roost cluster label 94254dc3 Night sky
                  roost cluster label "Night sky" --unpin
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: JSONOption

        @Argument(help: ArgumentHelp(StoreOptions.clusterHelp, valueName: "ID"))
        var id: String

        @Argument(help: "The new label; omit it with --unpin.")
        var text: [String] = []

        @Flag(name: .long, help: "Remove your label, and use keywords until the next `roost recluster`.")
        var unpin = false

        func validate() throws {
            guard text.isEmpty == unpin else {
                throw ValidationError("give either a label or --unpin")
            }
        }

        func run() async throws {
            let label: JSONValue = unpin ? .null : .string(text.joined(separator: " "))
            let input: [String: JSONValue] = ["cluster": .string(id), "label": label]
            try await options.run("label_cluster", input, asJSON: output.json) { (cluster: ClusterDocument) in
                Terminal.write("\(Terminal.bold(Terminal.line(cluster.label)))  \(cluster.id.prefix(8))")
            }
        }
    }

    struct MergeClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge", abstract: Operations.summary(of: "merge_clusters"),
            discussion: """
                The merged cluster keeps the id of the first given cluster. `roost undo` reverts the \
                merge.

                Examples:
                  roost cluster merge 94254dc3 06b6998e
                  roost cluster merge "star, light, moon" "telescope, lens"
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: JSONOption

        @Argument(help: ArgumentHelp(StoreOptions.clusterHelp, valueName: "ID"))
        var ids: [String]

        func validate() throws {
            guard ids.count >= 2 else { throw ValidationError("give at least two clusters") }
        }

        func run() async throws {
            let input: [String: JSONValue] = ["clusters": .array(ids.map { .string($0) })]
            try await options.run("merge_clusters", input, asJSON: output.json) {
                (cluster: ClusterDocument) in
                Terminal.write(cluster.line)
            }
        }
    }

    struct SplitCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "split", abstract: Operations.summary(of: "split_cluster"),
            discussion: """
                The largest part keeps the id of the cluster. `roost undo` reverts the split.

                Examples:
                  roost cluster split 94254dc3
                  roost cluster split star, light, moon --into 3
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: JSONOption

        @Argument(help: ArgumentHelp(StoreOptions.clusterHelp, valueName: "ID"))
        var id: [String]

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("The number of parts.", valueName: "N"))
        var into = 2

        func validate() throws {
            guard into >= 2 else {
                throw ValidationError("--into must be a whole number of at least 2, not \(into)")
            }
        }

        func run() async throws {
            let input: [String: JSONValue] = [
                "cluster": .string(id.joined(separator: " ")), "parts": .integer(Int64(into)),
            ]
            try await options.run("split_cluster", input, asJSON: output.json) { (split: SplitDocument) in
                for part in split.clusters { Terminal.write(part.line) }
                if split.clusters.count < into {
                    options.note("only \(split.clusters.count) of \(into) parts: the others would be empty")
                }
            }
        }
    }

    struct DeleteCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: Operations.summary(of: "remove_cluster"),
            discussion: """
                The entries become unassigned. `roost undo` reverts the deletion.

                Examples:
                  roost cluster delete 94254dc3
                  roost cluster delete star, light, moon
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: JSONOption

        @Argument(help: ArgumentHelp(StoreOptions.clusterHelp, valueName: "ID"))
        var id: [String]

        func run() async throws {
            let input: [String: JSONValue] = ["cluster": .string(id.joined(separator: " "))]
            try await options.run("remove_cluster", input, asJSON: output.json) {
                (removed: RemovedClusterDocument) in
                options.note(
                    "deleted the cluster; \(Count.text(removed.entries, "entry is", "entries are")) "
                        + "unassigned now; `roost undo` reverts this")
            }
        }
    }
}

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
        @OptionGroup var output: JSONOption

        @Argument(
            help: ArgumentHelp(
                StoreOptions.clusterHelp + " Default: all clusters.", valueName: "ID"))
        var ids: [String] = []

        @Option(name: .long, help: "The name of the chat model. Default: the label-model setting.")
        var model: String?

        @Flag(name: .long, help: "Also label clusters that this model has labeled before.")
        var again = false

        @Flag(name: .long, help: "Show what would be sent, without sending it.")
        var dryRun = false

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
            if output.json {
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
            if output.json {
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
