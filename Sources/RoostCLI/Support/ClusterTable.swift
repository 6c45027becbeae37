import Foundation
import Roost
import RoostServer

/// The layout of a list of clusters.
enum ClusterTable {
    case bars
    /// The size, cohesion and separation, the label, and the id.
    case figures

    struct Row {
        var cluster: ClusterDocument
        /// The level in the hierarchy, 0 at the top.
        var depth: Int
    }

    private static let idLength = 8
    /// The width of the longest bar, a sixth of the terminal, so that most of the width is left for labels.
    private static let barWidth = Terminal.columns.map { min(max($0 / 6, 4), 20) } ?? 20
    /// The text after the id of a cluster whose label probably no longer fits.
    private static let outdatedMark = "(label may no longer fit)"

    /// The minimum width of a terminal on which the separation is shown.
    private static let minimumWidthWithSeparation = 60

    private var columns: [TableColumn] {
        let middle =
            switch self {
            case .bars: [TableColumn(name: "")]
            case .figures: figureNames.map { TableColumn(name: $0, isNumber: true) }
            }
        return [TableColumn(name: "size", isNumber: true)] + middle + [
            TableColumn(name: "label", style: .bold, isFlexible: true), TableColumn(name: "id", style: .dim),
        ]
    }

    private var figureNames: [String] {
        let isNarrow = Terminal.columns.map { $0 < Self.minimumWidthWithSeparation } ?? false
        return isNarrow ? ["cohesion"] : ["cohesion", "separation"]
    }

    /// Returns one line per cluster.
    func lines(_ rows: [Row], hasHeader: Bool = true) -> [String] {
        let largest = rows.map(\.cluster.size).max() ?? 0
        let hasNotes = rows.contains { $0.cluster.labelOutdated == true }
        let cells = rows.map { row in
            let cluster = row.cluster
            let figures = [
                cluster.cohesion.map(Terminal.score) ?? "-", cluster.separation.map(Terminal.score) ?? "-",
            ]
            let middle =
                switch self {
                case .bars: [Self.bar(cluster.size, of: largest)]
                case .figures: Array(figures.prefix(figureNames.count))
                }
            let label = String(repeating: "  ", count: row.depth) + Terminal.line(cluster.label)
            let note = cluster.labelOutdated == true ? Self.outdatedMark : ""
            return [String(cluster.size)] + middle + [label, String(cluster.id.prefix(Self.idLength))]
                + (hasNotes ? [note] : [])
        }
        let note = TableColumn(name: "", isFlexible: true)
        let layout = TableLayout(columns + (hasNotes ? [note] : []), rows: cells, width: Terminal.columns)
        return (hasHeader ? [layout.header] : []) + cells.map { layout.line($0) }
    }

    /// Returns a bar, filled with spaces to the full width. The bar of a cluster with members is never empty.
    private static func bar(_ size: Int, of largest: Int) -> String {
        let share = largest > 0 ? Double(size) / Double(largest) : 0
        let text = String(
            repeating: "#", count: max(size > 0 ? 1 : 0, Int((share * Double(barWidth)).rounded())))
        return text + String(repeating: " ", count: max(0, barWidth - text.count))
    }
}
