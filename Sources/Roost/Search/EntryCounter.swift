import Foundation
public import RoostModel

/// Counts entries by the values of their properties.
struct EntryCounter {
    /// The maximum number of combinations of the values of one entry. Three arrays of 1,000 values would have
    /// a billion, which no memory could hold.
    static let maximumCombinations = 10_000

    private let snapshot: any StorageSnapshot
    private let properties: [EntryProperty]
    private let calendar: Calendar
    /// The labels of the clusters, and the cluster of each entry; empty unless they are needed.
    private var labels: [Cluster.ID: String] = [:]
    private var clusters: [Entry.ID: Cluster.ID] = [:]
    /// The first spelling of each tag.
    private var tags: [TagName: String] = [:]
    /// The periods in which the days of entries are, because many entries have the same day.
    private var periods: [Date: [EntryProperty: String]] = [:]
    private var counts: [[String?]: Int] = [:]

    /// - Parameter timeZone: The time zone of the days.
    init(
        _ properties: [EntryProperty], in snapshot: any StorageSnapshot, timeZone: TimeZone = .current
    ) async throws {
        (self.properties, self.snapshot) = (properties, snapshot)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.calendar = calendar
        guard properties.contains(.cluster) else { return }
        for record in try await snapshot.clusterRecords() { labels[record.id] = record.label }
        for assignment in try await snapshot.assignments(of: nil) {
            clusters[assignment.entry] = assignment.cluster
        }
    }

    /// Returns the counts of the entries that match a filter.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if an entry has too many combinations of values.
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

    /// Adds an entry to all combinations of its values.
    private mutating func add(_ header: EntryHeader, _ entry: Entry?) throws {
        var combinations: [[String?]] = [[]]
        for property in properties {
            let found = values(of: property, header, entry)
            let values: [String?] = found.isEmpty ? [nil] : found
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

    /// Returns the distinct values of a property.
    private mutating func values(
        of property: EntryProperty, _ header: EntryHeader, _ entry: Entry?
    ) -> [String] {
        switch property {
        case .tag:
            var found: [String] = []
            for tag in TagName.distinct(entry?.tags ?? []) {
                let name = TagName(tag)
                let spelling = tags[name] ?? tag
                tags[name] = spelling
                found.append(spelling)
            }
            return found
        case .cluster: return clusters[header.id].flatMap { labels[$0] }.map { [$0] } ?? []
        case .source: return header.source.map { [$0] } ?? []
        case .folder: return Self.folder(of: header).map { [$0] } ?? []
        case .day, .week, .month, .year: return [period(property, of: header.createdAt)]
        case .metadata(let key):
            guard let value = entry?.metadata[key], value != .null else { return [] }
            var seen = Set<String>()
            return value.comparableTexts.filter { seen.insert($0).inserted }
        }
    }

    private static func folder(of header: EntryHeader) -> String? {
        guard let source = header.source, source.hasPrefix("file://"), let url = URL(string: source) else {
            return nil
        }
        return url.deletingLastPathComponent().path
    }

    /// Returns the period that contains a date.
    private mutating func period(_ property: EntryProperty, of date: Date) -> String {
        let day = calendar.startOfDay(for: date)
        if let known = periods[day]?[property] { return known }
        var weeks = Calendar(identifier: .iso8601)
        weeks.timeZone = calendar.timeZone
        func text(_ number: Int?, _ digits: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        let week = weeks.dateComponents([.yearForWeekOfYear, .weekOfYear], from: date)
        let year = text(parts.year, 4)
        let month = "\(year)-\(text(parts.month, 2))"
        let names: [EntryProperty: String] = [
            .year: year, .month: month, .day: "\(month)-\(text(parts.day, 2))",
            .week: "\(text(week.yearForWeekOfYear, 4))-W\(text(week.weekOfYear, 2))",
        ]
        periods[day] = names
        return names[property] ?? ""
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

extension KnowledgeStore {
    /// Returns the numbers of entries with the same values of some properties, such as the number of entries
    /// of each cluster and month.
    ///
    ///     let counts = try await store.counts(by: [.cluster, .month])
    ///
    /// An entry with several values, such as tags, is counted once for each of them. Periods are in the order
    /// of the calendar, and other values by the number of their entries, largest first.
    ///
    /// - Complexity: O(matching entries), which are read unless all properties are clusters, sources, folders
    ///   and periods.
    /// - Throws: ``RoostError`` with `.badInput` if an entry has more than 10,000 combinations of values;
    ///   `StorageError`; `CancellationError`.
    @concurrent
    public func counts(
        by properties: [EntryProperty], matching filter: EntryFilter = .all
    ) async throws -> [EntryCount] {
        var counter = try await EntryCounter(properties, in: storage.snapshot())
        return try await counter.counts(matching: filter)
    }
}
