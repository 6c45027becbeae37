import ArgumentParser
import Foundation
import Roost
import RoostServer

struct Recluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recluster", abstract: Operations.summary(of: "recluster"),
        discussion: """
            Chooses the number of clusters from the entries unless --clusters gives it. A run continues \
            from the clusters of the last run; with --fresh, it starts from scratch. In both cases, a \
            cluster with mostly the same members keeps its id and your label. With the same entries, \
            options and seed, the clusters are the same.

            If there are more than 25 clusters, Roost groups similar ones into 8 to 25 larger clusters, \
            below which they are indented. A label consists of words and phrases that are frequent in a \
            cluster and rare in others; words in titles and in names of folders count more.

            Lines that more than 5% of the entries contain, such as footers and navigation, are ignored; \
            `roost show` lists the ignored lines of an entry.

            The new clusters replace all earlier ones, even with --where; clusters that end are listed. If a \
            run with --where would end clusters that you labeled, Roost asks for confirmation.

            Examples:
              roost recluster
              roost recluster --granularity fine --dry-run
              roost recluster --where kind=message --clusters 20 --dry-run
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(Operations.help("clusters", of: "recluster"), valueName: "N"))
    var clusters: Int?

    @Option(name: .long, help: "coarse (fewer, larger clusters), medium, or fine (more, smaller clusters).")
    var granularity: LeidenClusterer.Granularity = .medium

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum share of outliers among the entries, from 0 to 1. Default: 0.05.",
            valueName: "SHARE"))
    var maxOutliers: Double?

    @Option(name: .long, parsing: .unconditional, help: "The seed of the random number generator.")
    var seed: UInt64 = 0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Cluster only entries whose metadata matches, for example 'kind=message'; see `roost query`.",
            valueName: "condition"))
    var `where`: [String] = []

    @Flag(name: .long, help: "Start from scratch, ignoring the clusters of the last run.")
    var fresh = false

    @Flag(name: .shortAndLong, help: "Skip the confirmation before clusters that you labeled end.")
    var yes = false

    @Flag(name: .long, help: "Show what would change, without changing anything.")
    var dryRun = false

    func validate() throws {
        let filter = try FilterOptions.filter(where: self.where)
        guard filter.creationPeriod == nil, filter.changePeriod == nil else {
            throw ValidationError(
                "--where of this command compares metadata; it cannot compare the dates of entries")
        }
        if let clusters, clusters < 1 {
            throw ValidationError("--clusters must be a whole number of at least 1, not \(clusters)")
        }
        if clusters != nil, granularity != .medium {
            throw ValidationError(
                "--clusters cannot be combined with --granularity, which applies only if Roost chooses the "
                    + "number")
        }
        if let maxOutliers {
            guard (0...1).contains(maxOutliers) else {
                throw ValidationError("--max-outliers must be a number from 0 to 1, not \(maxOutliers)")
            }
            guard clusters == nil else {
                throw ValidationError(
                    "--max-outliers cannot be combined with --clusters, which assigns every entry")
            }
        }
    }

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        guard try await permitsEnds(store) else {
            try await store.close()
            options.note("nothing was changed")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        let report = try await recluster(store, isDryRun: dryRun)
        options.detail(String(format: "reclustered in %.2f s", Date().timeIntervalSince(start)))
        try await store.close()
        try show(report)
    }

    private func recluster(_ store: KnowledgeStore, isDryRun: Bool) async throws -> ReclusterReport {
        let progress = Progress(isQuiet: options.quiet)
        defer { progress.finish() }
        let show: @Sendable (ReclusterProgress) -> Void = {
            progress.update($0.step.rawValue, fraction: $0.share)
        }
        let conditions = try FilterOptions.filter(where: self.where).conditions
        return try await store.recluster(
            clusters: clusters, granularity: granularity, maximumOutliers: maxOutliers ?? 0.05,
            seed: seed, among: conditions, ignoringPreviousRun: fresh, isDryRun: isDryRun,
            progress: show)
    }

    /// Returns whether the run may end the clusters that have no members among the entries of `--where`. For
    /// clusters with a label of the user, the user must confirm it.
    private func permitsEnds(_ store: KnowledgeStore) async throws -> Bool {
        guard !self.where.isEmpty, !yes, !dryRun else { return true }
        guard try await store.storage.fetchClusters().contains(where: \.isLabelPinned) else { return true }
        let labels = try await recluster(store, isDryRun: true).ended.filter(\.isLabelPinned).map(\.label)
        guard !labels.isEmpty else { return true }
        let names =
            labels.prefix(EndedClusterLines.maximumCount).map { "'\(Terminal.line($0, limit: 60))'" }
            .joined(separator: ", ")
        let clusters = Count.text(labels.count, "cluster") + " that you labeled"
        guard Confirmation.isPossible else {
            throw CommandError(
                .usage,
                "this run would end \(clusters) (\(names)); confirm it with --yes, or show the changes with "
                    + "--dry-run")
        }
        return try Confirmation.ask("this run would end \(clusters) (\(names)); continue?")
    }

    private func groupedCount(_ report: ReclusterReport) -> Int {
        guard !self.where.isEmpty else { return report.run.stamp.entryCount }
        return report.outlierCount + report.clusters.reduce(0) { $0 + $1.members.count }
    }

    private func show(_ report: ReclusterReport) throws {
        let tree = ClusterTree(report.clusters)
        let count = groupedCount(report)
        if output.json {
            try Terminal.json(ReclusterDocument(report))
        } else {
            for line in tree.lines(withBars: true) { Terminal.write(line) }
        }
        if let clusters, tree.leafCount < clusters {
            options.note("only \(tree.leafCount) of \(clusters) clusters: the others would be empty")
        }
        if let remark = tree.outdatedLabelRemark { options.note(remark) }
        guard !output.json else { return }
        options.note(summary(of: report, count: count, leaves: tree.leafCount))
        if !report.boilerplateLines.isEmpty {
            options.note(
                "lines that more than 5% of the entries contain were excluded: "
                    + "\(report.boilerplateLines.count); `roost show ID` lists those of an entry")
        }
        for notice in report.notices { options.note(notice) }
        let showsLineage = dryRun || (report.continuedCount > 0 && options.verbose)
        // The lines of the lineage name most of the clusters that end, with the clusters that follow them.
        let named = Set(showsLineage ? report.lineage.events.flatMap(\.before).map(\.id) : [])
        for line in EndedClusterLines.lines(report.ended.filter { !named.contains($0.id) }) {
            options.note(line)
        }
        guard showsLineage else { return }
        for line in LineageLines(report.lineage, ended: report.ended).lines { options.note(line) }
    }

    private func summary(of report: ReclusterReport, count: Int, leaves: Int) -> String {
        let parents = report.clusters.count - leaves
        let continued = Count.text(
            report.continuedCount, "continues an earlier cluster", "continue earlier clusters")
        return "\(Count.text(leaves, "cluster")) of \(Count.text(count, "entry", "entries"))"
            + (clusters == nil ? " (number chosen automatically)" : "")
            + (parents > 0 ? ", in " + Count.text(parents, "larger cluster") : "")
            + (report.outlierCount > 0
                ? ", \(Count.text(report.outlierCount, "outlier")) (see `roost cluster outliers`)" : "")
            + (report.continuedCount > 0 ? "; \(continued)" : "")
            + (dryRun ? "; nothing was changed" : "")
    }
}
