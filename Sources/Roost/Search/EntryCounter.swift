import Foundation
import RoostModel

struct EntryCounter {
    /// The maximum number of combinations of the values of one entry. Three arrays of 1,000 values would have
    /// a billion, which no memory could hold.
    static let maximumCombinations = 10_000

    private let snapshot: any StorageSnapshot
    private let properties: [EntryProperty]
    /// The time zone of dates with a time of day.
    private let timeZone: TimeZone
    /// The labels of the clusters, and the cluster of each entry; empty unless they are needed.
    private var labels: [Cluster.ID: String] = [:]
    private var clusters: [Entry.ID: Cluster.ID] = [:]
    /// The first spelling of each tag.
    private var tags: [TagName: String] = [:]
    private var counts: [[String?]: Int] = [:]

    init(
        _ properties: [EntryProperty], in snapshot: any StorageSnapshot, timeZone: TimeZone = .current
    ) async throws {
        (self.properties, self.snapshot, self.timeZone) = (properties, snapshot, timeZone)
        guard properties.contains(.cluster) else { return }
        for record in try await snapshot.clusterRecords() { labels[record.id] = record.label }
        for assignment in try await snapshot.assignments(of: nil) {
            clusters[assignment.entry] = assignment.cluster
        }
    }

    mutating func counts(matching filter: EntryFilter) async throws -> [EntryCount] {
        if properties.contains(where: \.needsContents) {
            for try await page in snapshot.entryPages(matching: filter) {
                for entry in page.entries { try add(EntryHeader(entry), entry) }
            }
        } else {
            for try await page in snapshot.headerPages(matching: filter) {
                for header in page.headers { try add(header, nil) }
            }
        }
        return sorted(counts.map { EntryCount(values: $0.key, count: $0.value) })
    }

    private mutating func add(_ header: EntryHeader, _ entry: Entry?) throws {
        var combinations: [[String?]] = [[]]
        for property in properties {
            let found = values(of: property, header, entry)
            let values = found.isEmpty ? [nil] : found
            // The values of one array are as many as the entry contains, and need no limit.
            let isProduct = combinations.count > 1 && values.count > 1
            guard !isProduct || combinations.count * values.count <= Self.maximumCombinations else {
                throw RoostError(
                    .badInput,
                    "cannot count the entries: entry \(header.id.text) has more than "
                        + "\(Self.maximumCombinations) combinations of values; count by fewer properties")
            }
            combinations = combinations.flatMap { combination in values.map { combination + [$0] } }
        }
        for combination in combinations { counts[combination, default: 0] += 1 }
    }

    private mutating func values(
        of property: EntryProperty, _ header: EntryHeader, _ entry: Entry?
    ) -> [String?] {
        switch property {
        case .tag:
            for tag in entry?.tags ?? [] where tags[TagName(tag)] == nil { tags[TagName(tag)] = tag }
            return TagName.distinct(entry?.tags ?? []).compactMap { tags[TagName($0)] }
        case .cluster: return [clusters[header.id].flatMap { labels[$0] }]
        case .source: return [header.source]
        case .folder:
            let file = header.source.flatMap { $0.hasPrefix("file://") ? URL(string: $0) : nil }
            return [file?.deletingLastPathComponent().path]
        case .day, .week, .month, .year: return [period(property, of: header.createdAt)]
        case .metadata(let key):
            guard let value = entry?.metadata[key], value != .null else { return [] }
            var seen = Set<String>()
            return value.comparableTexts.filter { seen.insert($0).inserted }
        }
    }

    private func period(_ property: EntryProperty, of date: Date) -> String {
        let year = Date.ISO8601FormatStyle(timeZone: date.isDay ? .gmt : timeZone).year()
        return switch property {
        case .year: date.formatted(year)
        case .month: date.formatted(year.month())
        case .week: date.formatted(year.weekOfYear())
        default: date.formatted(year.month().day())
        }
    }

    /// Returns counts in the order of their values: periods as in a calendar, other values by their number
    /// of entries, then as texts. Missing values are last among values with equal numbers.
    private func sorted(_ counts: [EntryCount]) -> [EntryCount] {
        var totals = [[String?: Int]](repeating: [:], count: properties.count)
        for count in counts {
            for (index, value) in count.values.enumerated() {
                totals[index][value, default: 0] += count.count
            }
        }
        return counts.sorted { left, right in
            for (index, property) in properties.enumerated() {
                let (a, b) = (left.values[index], right.values[index])
                guard a != b else { continue }
                if !property.isPeriod {
                    let (first, second) = (totals[index][a] ?? 0, totals[index][b] ?? 0)
                    if first != second { return first > second }
                }
                guard let a, let b else { return a != nil }
                return a < b
            }
            return false
        }
    }
}

/// A number of entries with the same values of some properties.
public struct EntryCount: Sendable, Hashable, Codable {
    /// The values, in the order of the properties; `nil` for entries without a value.
    public var values: [String?]
    /// The number of entries.
    public var count: Int
}

/// A property by which entries are grouped and counted (``KnowledgeStore/count(by:matching:)``).
///
/// The days, weeks, months and years are those in which entries were created, in the time zone of the user.
public enum EntryProperty: Sendable, Hashable {
    /// Each tag of an entry. Spellings that differ only in case are one tag.
    case tag
    /// The label of the entry's cluster.
    case cluster
    /// The id of the entry's source.
    case source
    /// The path of the folder that contains the entry's file.
    case folder
    /// A day, such as `2026-01-31`.
    case day
    /// A week of ISO 8601, such as `2026-W05`.
    case week
    /// A month, such as `2026-01`.
    case month
    /// A year, such as `2026`.
    case year
    /// The value of a metadata key, or each element of an array.
    case metadata(String)

    private static let named: [String: EntryProperty] = [
        "tag": .tag, "tags": .tag, "cluster": .cluster, "source": .source, "folder": .folder, "day": .day,
        "week": .week, "month": .month, "year": .year,
    ]

    /// Creates the property with a name: `tag` or `tags`, `cluster`, `source`, `folder`, `day`, `week`,
    /// `month`, `year`, or else a metadata key. `metadata.year` is always the key `year`.
    ///
    /// - Returns: `nil` if the name is empty.
    public init?(_ name: String) {
        let prefix = "metadata."
        let key = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        guard !key.isEmpty else { return nil }
        self = Self.named[name] ?? .metadata(key)
    }

    /// Whether the values are periods of time, which are listed in their order.
    var isPeriod: Bool { [.day, .week, .month, .year].contains(self) }

    /// Whether the value depends on more than the header and the cluster of an entry.
    var needsContents: Bool {
        if case .metadata = self { true } else { self == .tag }
    }
}
