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
    /// The width of the terminal is divided by this number to get the width of the longest bar, so that most
    /// of the width is left for labels.
    private static let barShare = 6
    /// The minimum and the maximum width of a bar. The maximum is also the width in files and pipes.
    private static let barWidths = 4...20
    /// The text after the id of a cluster whose label probably no longer fits.
    private static let outdatedMark = "(label may no longer fit)"

    private static var barWidth: Int {
        guard let columns = Terminal.columns else { return barWidths.upperBound }
        return min(max(columns / barShare, barWidths.lowerBound), barWidths.upperBound)
    }

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
    ///
    /// - Parameter hasHeader: Whether the names of the columns precede the clusters.
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
        var text: String
        if Terminal.showsUnicode {
            // The Unicode block elements U+258F to U+2588 are one to eight eighths of a column wide.
            let eighths = max(size > 0 ? 1 : 0, Int((share * Double(8 * barWidth)).rounded()))
            text = String(repeating: "\u{2588}", count: eighths / 8)
            if eighths % 8 > 0, let scalar = Unicode.Scalar(0x2590 - UInt32(eighths % 8)) {
                text.unicodeScalars.append(scalar)
            }
        } else {
            let columns = max(size > 0 ? 1 : 0, Int((share * Double(barWidth)).rounded()))
            text = String(repeating: "#", count: columns)
        }
        return text + String(repeating: " ", count: max(0, barWidth - text.count))
    }
}
