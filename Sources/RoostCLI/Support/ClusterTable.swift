import Foundation
import Roost

/// The layout of a list of clusters.
enum ClusterTable {
    /// The size as a number and a bar, the label, and the id.
    case bars
    /// The size, cohesion and separation, the label, and the id.
    case figures

    /// The width of the column of sizes.
    private static let sizeWidth = 6
    /// The number of digits of an id that are shown.
    private static let idLength = 8
    /// The width of the terminal is divided by this number to get the width of the longest bar, so that most
    /// of the width is left for labels.
    private static let barShare = 6
    /// The minimum and the maximum width of a bar. The maximum is also the width in files and pipes.
    private static let barWidths = 4...20
    /// The minimum number of characters that are shown of a label, however narrow the terminal is.
    private static let minimumLabelLength = 12
    /// The text after a label that probably no longer fits.
    private static let outdatedMark = "(label may no longer fit)"

    private static var barWidth: Int {
        guard let columns = Terminal.columns else { return barWidths.upperBound }
        return min(max(columns / barShare, barWidths.lowerBound), barWidths.upperBound)
    }

    /// The names of the columns.
    var header: String {
        let size = Self.aligned("size", Self.sizeWidth)
        let middle =
            switch self {
            case .bars: String(repeating: " ", count: Self.barWidth)
            case .figures: "cohesion  separation"
            }
        return Terminal.dim("\(size)  \(middle)  label  id")
    }

    /// Returns the line of a cluster.
    ///
    /// - Parameters:
    ///   - depth: The level in the hierarchy, 0 at the top.
    ///   - largest: The size whose bar has the full width.
    func line(_ cluster: ClusterDocument, depth: Int, largest: Int) -> String {
        let middle =
            switch self {
            case .bars: Self.bar(cluster.size, of: largest)
            case .figures:
                Self.aligned(Terminal.score(cluster.cohesion), "cohesion".count) + "  "
                    + Self.aligned(cluster.separation.map(Terminal.score) ?? "-", "separation".count)
            }
        let start =
            Self.aligned(String(cluster.size), Self.sizeWidth) + "  " + middle + "  "
            + String(repeating: "  ", count: depth)
        let mark = cluster.labelOutdated == true ? "  \(Self.outdatedMark)" : ""
        var label = Terminal.line(cluster.label)
        if let columns = Terminal.columns {
            let rest = columns - start.count - mark.count - 2 - Self.idLength
            // One column is reserved for the character that marks a shortened label.
            label = Terminal.line(cluster.label, limit: max(Self.minimumLabelLength, rest - 1))
        }
        return start + Terminal.bold(label) + mark + "  "
            + Terminal.dim(String(cluster.id.prefix(Self.idLength)))
    }

    private static func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
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
