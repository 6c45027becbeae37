import ArgumentParser
import Foundation
import Roost

/// What became of the clusters, for people.
struct LineageLines {
    let lines: [String]

    init(_ lineage: ClusterLineage) {
        func name(_ side: ClusterLineage.Side) -> String {
            "\(Terminal.line(side.label, limit: 60)) (\(side.size)) "
                + Terminal.dim(String(side.id.text.prefix(8)))
        }
        func names(_ sides: [ClusterLineage.Side]) -> String { sides.map(name).joined(separator: "; ") }
        var lines = lineage.events.map { event in
            switch event.kind {
            case .birth: "new      \(names(event.after))"
            case .death:
                "gone     \(names(event.before))"
                    + (event.after.isEmpty ? "" : ", most of it now in \(names(event.after))")
            case .split: "split    \(names(event.before)) into \(names(event.after))"
            case .merge: "merged   \(names(event.before)) into \(names(event.after))"
            }
        }
        var unchanged = 0
        for cluster in lineage.continued {
            let (came, left) = (cluster.size - cluster.kept, cluster.sizeBefore - cluster.kept)
            guard came + left > 0 else {
                unchanged += 1
                continue
            }
            lines.append(
                "goes on  \(Terminal.line(cluster.label, limit: 60)) (\(cluster.sizeBefore) to "
                    + "\(cluster.size): \(came) came, \(left) left) "
                    + Terminal.dim(String(cluster.id.text.prefix(8))))
        }
        if unchanged > 0 { lines.append("\(unchanged) clusters have the members of before") }
        self.lines = lines
    }
}

extension ClusterCommand {
    struct DiffClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff", abstract: "Show what the last run or change made of the clusters of before.")

        @OptionGroup var options: StoreOptions

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let lineage = try await store.clusterLineage()
            let run = try await store.storage.snapshot().clusteringRun()
            try await store.close()
            if json { return try Terminal.json(ClusterExport.Lineage(lineage)) }
            for line in LineageLines(lineage).lines { Terminal.write(line) }
            if let stability = run?.stability {
                options.note(
                    "of the entries that were in clusters before and after the last run, "
                        + String(format: "%.1f%%", 100 * stability) + " kept theirs")
            }
        }
    }

    struct ClusterDriftCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drift", abstract: "Say whether it is time to recluster, and why.")

        @OptionGroup var options: StoreOptions

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let drift = try await store.clusterDrift()
            try await store.close()
            if json { return try Terminal.json(drift) }
            Terminal.write(
                "\(drift.entries) entries: \(drift.clustered) in clusters, \(drift.outliers) left out by the "
                    + "last run, \(drift.unassigned) unassigned")
            Terminal.write(
                "\(drift.placedSince) were put into clusters since the last run; \(drift.unchanged) of "
                    + "\(drift.entriesOfRun) are where it put them")
            if let now = drift.cohesion, let before = drift.cohesionOfRun {
                Terminal.write(String(format: "cohesion %.3f, of what the run placed %.3f", now, before))
            }
            for reason in drift.reasons { Terminal.write("due: \(reason)") }
            if !drift.isDue { Terminal.write("a run is not due") }
        }
    }

    struct LabelCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "label", abstract: "Give a cluster a name that stays.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("A cluster's id, the beginning of one, or its label.", valueName: "ID"))
        var id: String

        @Argument(help: "The name; with --unpin it is left out.")
        var text: String?

        @Flag(name: .long, help: "Take the name away: the keywords name the cluster again.")
        var unpin = false

        func validate() throws {
            guard (text == nil) == unpin else {
                throw ValidationError("Give either a name or --unpin.")
            }
        }

        func run() async throws {
            let store = try await options.open()
            let cluster = try await store.labelCluster(try await options.cluster(id, store).id, text)
            try await store.close()
            Terminal.write("\(Terminal.bold(Terminal.line(cluster.label)))  \(cluster.id.text.prefix(8))")
        }
    }

    struct MergeClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge", abstract: "Make one cluster of several; the first keeps its id.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("Ids, beginnings of ids, or labels.", valueName: "ID"))
        var ids: [String]

        func run() async throws {
            let store = try await options.open()
            var clusters: [Cluster.ID] = []
            for id in ids { clusters.append(try await options.cluster(id, store).id) }
            let merged = try await store.mergeClusters(clusters)
            try await store.close()
            Terminal.write(ClusterDocument(merged).line(depth: 0))
        }
    }

    struct SplitCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "split", abstract: "Divide a cluster; the largest part keeps its id.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("A cluster's id, the beginning of one, or its label.", valueName: "ID"))
        var id: String

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("How many parts.", valueName: "N"))
        var into = 2

        func run() async throws {
            let store = try await options.open()
            let parts = try await store.splitCluster(try await options.cluster(id, store).id, into: into)
            try await store.close()
            for part in parts { Terminal.write(ClusterDocument(part).line(depth: 0)) }
        }
    }

    struct DeleteCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Remove a cluster; its entries stay, in no cluster.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("A cluster's id, the beginning of one, or its label.", valueName: "ID"))
        var id: String

        func run() async throws {
            let store = try await options.open()
            let cluster = try await options.cluster(id, store)
            try await store.deleteCluster(cluster.id)
            try await store.close()
            options.note("\(cluster.members.count) entries are in no cluster now; `roost undo` takes it back")
        }
    }
}
