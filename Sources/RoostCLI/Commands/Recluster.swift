import ArgumentParser
import Foundation
import Roost
import RoostRemote

struct Recluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Group all entries into labeled clusters.",
        discussion: """
            Chooses the number of clusters from the entries unless --clusters gives it. A run continues from \
            the clusters of the last one, so that clusters keep their ids and your labels; --fresh starts \
            without them. The same entries, options and seed give the same clusters.

            Examples:
              roost recluster
              roost recluster --granularity fine --dry-run
              roost recluster --where kind=message --clusters 20
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The number of clusters. Default: chosen from the entries.", valueName: "N"))
    var clusters: Int?

    @Option(
        name: .long,
        help: "coarse, medium or fine: fewer, larger clusters or more, smaller ones.")
    var granularity: LeidenClusterer.Granularity = .medium

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum share of the entries that may be outliers, from 0 to 1. Default: 0.05.",
            valueName: "SHARE"))
    var maxOutliers: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Cluster by density (HDBSCAN), with clusters of at least N entries; entries in sparse regions "
                + "become outliers.",
            valueName: "N"))
    var dense: Int?

    @Option(name: .long, parsing: .unconditional, help: "The seed of the random numbers.")
    var seed: UInt64 = 0

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The number of levels: more than 1 groups the clusters into larger ones.", valueName: "N"))
    var levels = 1

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Cluster only entries whose metadata matches, for example 'kind=message'; see `roost query`.",
            valueName: "condition"))
    var `where`: [String] = []

    @Flag(name: .long, help: "Start without the clusters of the last run.")
    var fresh = false

    @Flag(
        name: .long,
        help: "Label the clusters with the chat model of your settings; see `roost cluster autolabel`.")
    var autolabel = false

    @Flag(name: .long, help: "Show what would change, without changing anything.")
    var dryRun = false

    @Flag(name: .long, help: "Print the clusters as JSON.")
    var json = false

    func validate() throws {
        for text in self.where where EntryCondition(where: text) == nil {
            throw ValidationError(
                "--where takes a condition like kind=message, not '\(Terminal.line(text, limit: 60))'.")
        }
        if let clusters, clusters < 1 {
            throw ValidationError("--clusters takes a whole number of at least 1, not \(clusters).")
        }
        if let dense {
            guard dense >= 2 else {
                throw ValidationError("--dense takes a whole number of at least 2, not \(dense).")
            }
            guard clusters == nil, granularity == .medium, maxOutliers == nil, !fresh else {
                throw ValidationError(
                    "--dense cannot be combined with --clusters, --granularity, --max-outliers or --fresh.")
            }
        }
        guard !(autolabel && dryRun) else {
            throw ValidationError(
                "--autolabel cannot be combined with --dry-run; `roost cluster autolabel --dry-run` shows "
                    + "what would be sent.")
        }
        guard (1...8).contains(levels) else {
            throw ValidationError("--levels takes a number from 1 to 8, not \(levels).")
        }
        if clusters != nil, granularity != .medium {
            throw ValidationError(
                "--clusters cannot be combined with --granularity, which applies only if Roost chooses the "
                    + "number.")
        }
        if let maxOutliers {
            guard (0...1).contains(maxOutliers) else {
                throw ValidationError("--max-outliers takes a share from 0 to 1, not \(maxOutliers).")
            }
            guard clusters == nil else {
                throw ValidationError(
                    "--max-outliers cannot be combined with --clusters, which assigns every entry.")
            }
        }
    }

    func run() async throws {
        // Checked before the work, so that a missing setting is reported at once.
        let model = autolabel ? try RemoteSettings().labelingModel(nil) : nil
        let store = try await options.open()
        let start = Date()
        let conditions = self.where.compactMap(EntryCondition.init(where:))
        var report =
            if let dense {
                try await store.recluster(
                    with: HDBSCAN(minimumSize: dense, minimumSamples: min(5, dense), seed: seed),
                    levels: levels, among: conditions, isDryRun: dryRun)
            } else {
                try await store.recluster(
                    clusters: clusters, granularity: granularity, maximumOutliers: maxOutliers ?? 0.05,
                    levels: levels, seed: seed, among: conditions, ignoringPreviousRun: fresh,
                    isDryRun: dryRun)
            }
        options.detail(String(format: "reclustered in %.2f s", Date().timeIntervalSince(start)))
        guard let model else {
            try await store.close()
            return try show(report)
        }
        let labeling = Autolabeling(store: store, options: options, model: model)
        let requests = try await store.labelingRequests(unlessLabeledBy: labeling.labeler.name)
        let labels = try await labeling.run(requests)
        try await store.close()
        let named = Dictionary(labels.labeled.map { ($0.id, $0) }) { first, _ in first }
        report.clusters = report.clusters.map { cluster in
            var cluster = cluster
            if let name = named[cluster.id] {
                (cluster.label, cluster.labeledBy) = (name.label, name.labeledBy)
            }
            return cluster
        }
        try show(report)
        try labeling.finish(labels, of: requests.count)
    }

    /// The minimum number of entries at which a single cluster is worth a hint.
    private static let minimumEntriesForAdvice = 50

    /// Returns the number of entries that the run considered.
    private func groupedCount(_ report: ReclusterReport) -> Int {
        guard !self.where.isEmpty else { return report.run.stamp.entryCount }
        return report.outlierCount + report.clusters.reduce(0) { $0 + $1.members.count }
    }

    private func show(_ report: ReclusterReport) throws {
        if json { return try Terminal.json(ClusterTree(report.clusters).documents) }
        for line in ClusterTree(report.clusters).lines { Terminal.write(line) }
        let leaves = ClusterTree(report.clusters).leafCount
        options.note(
            "\(leaves) clusters of \(groupedCount(report)) entries"
                + (clusters == nil ? " (number chosen automatically)" : "")
                + (report.outlierCount > 0 ? ", \(report.outlierCount) outliers" : "")
                + (report.continuedCount > 0
                    ? "; \(report.continuedCount) continue earlier clusters" : "")
                + (dryRun ? "; nothing was changed" : ""))
        if leaves == 1, clusters == nil, dense == nil,
            report.run.stamp.entryCount >= Self.minimumEntriesForAdvice
        {
            options.note("found no distinct groups; use --clusters N to split the entries anyway")
        }
        if dryRun || (report.continuedCount > 0 && options.verbose) {
            for line in LineageLines(report.lineage).lines { options.note(line) }
        }
    }
}
