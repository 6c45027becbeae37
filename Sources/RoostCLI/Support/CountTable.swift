import Foundation
import Roost

/// The numbers of entries by two properties, as a table with a row for each value of the first property and a
/// column for each value of the second one.
struct CountTable {
    /// The maximum number of columns of values, which fit on a terminal of 120 columns: twelve months.
    private static let maximumColumns = 12
    /// The maximum length of the name of a column. A value can be a text of any length.
    private static let maximumNameLength = 60
    /// The text in place of a missing value.
    private static let missing = "-"

    /// The values of the second property: the newest periods in their order, or the most frequent values.
    let columns: [String]
    /// The cells: a value of the first property, the number for each column, and the number of all.
    let rows: [[String]]
    /// The number of values of the second property that are not shown.
    let omittedColumns: Int

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - counts: The counts, in the order of ``KnowledgeStore/counts(by:matching:)``.
    ///   - properties: The two properties.
    ///   - rowLimit: The maximum number of rows; `nil` for all.
    init(_ counts: [EntryCount], of properties: [EntryProperty], rowLimit: Int?) {
        var (names, totals): ([String?], [String?: Int]) = ([], [:])
        var groups: [(value: String?, counts: [String?: Int])] = []
        for count in counts {
            let (first, second) = (count.values[0], count.values[1])
            if totals[second] == nil { names.append(second) }
            totals[second, default: 0] += count.count
            if groups.isEmpty || groups[groups.count - 1].value != first { groups.append((first, [:])) }
            groups[groups.count - 1].counts[second] = count.count
        }
        if properties[1].isPeriod {
            names.sort { ($0 ?? "") < ($1 ?? "") }
        } else {
            names.sort { (totals[$1] ?? 0, $0 ?? "") < (totals[$0] ?? 0, $1 ?? "") }
        }
        let shown =
            properties[1].isPeriod ? names.suffix(Self.maximumColumns) : names.prefix(Self.maximumColumns)
        omittedColumns = names.count - shown.count
        columns = shown.map {
            Terminal.line(Self.text($0, of: properties[1]), limit: Self.maximumNameLength)
        }
        rows = groups.prefix(rowLimit ?? .max).map { group in
            [Self.text(group.value, of: properties[0])]
                + shown.map { group.counts[$0].map(String.init) ?? Self.missing }
                + [String(group.counts.values.reduce(0, +))]
        }
    }

    /// Returns a value on one line; files and folders below the current folder as relative paths.
    static func text(_ value: String?, of property: EntryProperty) -> String {
        guard let value else { return missing }
        guard property == .source || property == .folder else { return Terminal.line(value, limit: .max) }
        let path = value.hasPrefix("file://") ? URL(string: value)?.path ?? value : value
        let here = FileManager.default.currentDirectoryPath + "/"
        return Terminal.line(path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path, limit: .max)
    }
}
