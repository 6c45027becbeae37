import Roost
import RoostModel

/// The tool that groups all entries into clusters.
struct ReclusterTool: Tool {
    let handle: StoreHandle

    private static let maximumClusters = 10_000

    let definition = ToolDefinition(
        name: "recluster", title: "Recluster the entries",
        description:
            "Groups all entries into labeled clusters. Clusters keep their ids and given names as "
            + "long as most of "
            + "their members stay. Takes seconds for 10,000 entries.",
        effect: .changes,
        input: [
            ToolProperty(
                "clusters", .integer(1...maximumClusters),
                "The number of clusters; without it, the number is determined by the texts."),
            ToolProperty("dryRun", .flag, "Whether to report the result without saving it."),
        ],
        output: [
            ToolProperty(
                "clusters", .integer(0...Int.max), isRequired: true,
                "The number of clusters of all levels."),
            ToolProperty("outliers", .integer(0...Int.max), isRequired: true, "The entries in no cluster."),
            ToolProperty(
                "continued", .integer(0...Int.max), isRequired: true, "The clusters that were kept."),
            ToolProperty(
                "notices", .array(of: .string(maximumBytes: .max), maximumCount: 100),
                "Notices about the run."),
        ])

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        context.report(progress: 0, of: 1, "clustering")
        let value: JSONValue = try await handle.use { store in
            let report = try await store.recluster(
                clusters: arguments["clusters"]?.integer, isDryRun: arguments.flag("dryRun"))
            return [
                "clusters": .integer(Int64(report.clusters.count)),
                "outliers": .integer(Int64(report.outlierCount)),
                "continued": .integer(Int64(report.continuedCount)),
                "notices": .array(report.notices.map { .string($0) }),
            ]
        }
        context.report(progress: 1, of: 1, "saved")
        return value
    }
}
