import Foundation
import RoostModel
import RoostVectors

extension Trial {
    /// Metadata values, some of which are equal to each other, and some of which look like numbers but are
    /// texts.
    private static let mixedValues: [MetadataValue?] = [
        nil, "10", 9, 10, 10.5, "9x", "", "010", -1, "-1", "1e1", 1e300, "true", true, .null, "it's", "ä",
        "a\u{308}", "a\0b", [9], ["mixed": 9], "9007199254740993", .integer(9_007_199_254_740_993),
        "2026-01", "2026-01-31", "2026-01-31T09:00:00Z", "2026-02-01 10:00", "2026-01-31 notes", 2026, "2026",
        "2026-1", "2026-01\0", "2026-01-31T09:00\u{E4}", ["soon", "2026-03-01"], "soon",
        "2026-01-31 09:30:00",
        "2026-01-31T09:30\0x", "0010", "0020-01-01", "2026-01-31T09:00:00+02:00", "2026-01-31T23:30-05:00",
        "2026-02-31 10:00Z", "2026-01-31T07:00:00.5Z", "0000-01-01T00:00Z", "2026-01-31T09:00:00+24:00",
        "1969-12-31T23:59:59-00:30", "2026-01-31T07:00:00.00000000000000000001Z", "2024-02-29T23:59:59Z",
        "2026-01-31T07:00Z\0", "2026-01-31 02:00-05:00", "2026-01-31T07:00:60Z",
    ]

    private static let operands = [
        "10", "9", "10.0", "", "abc", "-1", "ä", "1e300", "9007199254740992", "1e999", "true", "null", "a\0",
        "'", "%", "2026", "2026-01", "2026-01-31", "2026-01-31T09:00", "2026-02-01 10:00", "2026-13",
        "2026-1", "2026-01-31 09:30", "2026-01-31T09:30:00Z", "0010",
        "2026-01-31T09:00:00+02:00", "2026-01-31 07:00Z", "2026-01-31T02:00:00.25-05:00",
        "1970-01-01T00:29:59+00:00", "2024-03-01T00:00Z",
    ]

    /// Tags that are equal to each other, nested in each other, or only similar.
    private static let tags = [
        "Garden", "garden/Herbs", "GARDEN/herbs/mint", "gardening", "gar/den", "stra\u{DF}e", "STRASSE/1",
        "caf\u{E9}", "cafe\u{301}/1", "CAFE", "two  words", "two\nwords", "end/", "/", "", " ", "10", "10.0",
        "\u{130}x", "\u{3A3}\u{3AF}\u{3C2}", "a\0b",
    ]

    private static let tagOperands = [
        "garden", "GARDEN/HERBS", "Gar", "Strasse", "CAF\u{C9}", "cafe", "Two Words", "end", "/", "", "10",
        "i\u{307}x", "\u{3C3}\u{3AF}\u{3C3}", "a b", "garden/", "none",
    ]

    private static var tagFilters: [EntryFilter] {
        let filters = tagOperands.map { EntryFilter(tags: [$0]) }
        let tests = tagOperands.flatMap { operand -> [EntryCondition.Test] in
            [
                .equals(operand), .differs(operand), .hasPrefix(operand), .isLess(operand),
                .isAtLeast(operand), .isOneOf([operand, "gar/den"]),
            ]
        }
        // More tags match than one SQL statement should have parameters.
        let many = EntryFilter(tags: ["Many"])
        return filters + [many, EntryFilter(tags: ["garden", "Tagged"])]
            + tests.map { [EntryCondition(.tag, $0)] }
    }

    private static var conditions: [EntryCondition] {
        var conditions: [EntryCondition] = []
        for operand in operands {
            for field in [EntryCondition.Field.metadata("mixed"), .metadata("n"), .source, .tag] {
                conditions += [
                    .equals(operand), .differs(operand), .isOneOf([operand, "10.5", "s1", "all"]),
                    .isLess(operand), .isAtMost(operand), .isGreater(operand), .isAtLeast(operand),
                    .hasPrefix(operand),
                ].map { EntryCondition(field, $0) }
            }
        }
        // The number of operands exceeds the number of parameters that one SQL statement should have.
        let many = (0..<300).map(String.init)
        let keys = ["mixed", "list", "none", "m", "it's \"here\"\n"]
        for field in keys.map(EntryCondition.Field.metadata) + [.source, .tag] {
            conditions += [.exists, .isMissing, .isOneOf([]), .isOneOf(many)].map {
                EntryCondition(field, $0)
            }
        }
        return conditions
    }

    /// Filters for periods: some bounds lie between two milliseconds, one period is empty, some are practically
    /// unbounded, and in some, days begin at other times than in UTC.
    private static var periodFilters: [EntryFilter] {
        let day = Double(DatePeriod.dayLength) / 1000
        func range(_ start: Double, _ end: Double) -> Range<Date> {
            Date(timeIntervalSince1970: start)..<Date(timeIntervalSince1970: end)
        }
        var periods = [
            range(0.25, 7.25), range(0.2504, 0.25049), range(5, 5), range(3.2501, .infinity),
            range(-1e18, 1e18),
            range(-day, 50), range(0, 0.25),
        ].map { DatePeriod($0) }
        periods += [-36_000.0, 0, 32_400].map { offset in
            DatePeriod(times: range(offset, offset + day), days: range(0, day))
        }
        return periods.flatMap { period in
            var filters = [EntryFilter](repeating: EntryFilter(), count: 3)
            filters[0].creationPeriod = period
            filters[1].changePeriod = period
            filters[2].period = period
            return filters
        }
    }

    private func filters(_ entries: [Entry], _ cluster: Cluster) -> [EntryFilter] {
        var unclustered = EntryFilter(tags: ["even"])
        unclustered.isUnclustered = true
        let conditionFilters = Self.conditions.map { [$0] as EntryFilter }
        return conditionFilters + Self.tagFilters + Self.periodFilters + [
            unclustered, EntryFilter.all, EntryFilter(ids: [entries[3].id, UUID()]), EntryFilter(ids: []),
            EntryFilter(sources: ["s1", "s2"]), EntryFilter(sources: []), EntryFilter(tags: ["even"]),
            EntryFilter(tags: ["even", "all"]), EntryFilter(tags: ["e"]), EntryFilter(metadata: ["n": "3"]),
            EntryFilter(metadata: ["f": "3", "n": "3"]), EntryFilter(metadata: ["list": "1"]),
            EntryFilter(metadata: ["q": "it's"]), EntryFilter(metadata: ["none": ""]),
            EntryFilter(cluster: cluster.id), EntryFilter(cluster: UUID()),
            EntryFilter(tags: ["even"], cluster: cluster.id),
            EntryFilter(idPrefix: String(entries[7].id.text.prefix(10))), EntryFilter(idPrefix: "%"),
            EntryFilter(idPrefix: ""), EntryFilter(idPrefix: "0x"),
        ]
    }

    private func filteredEntry(_ number: Int) -> Entry {
        var entry = entry(number)
        entry.source = number % 3 == 0 ? nil : "s\(number % 3)"
        entry.tags = number % 2 == 0 ? ["even", "all"] : ["all"]
        if number < Self.tags.count { entry.tags.append(Self.tags[number]) }
        if number % 9 == 0 { entry.tags += (0..<20).map { "many/\(number)/\($0)" } }
        if number % 10 == 0 { entry.tags.append("tagged") }
        entry.metadata = [
            "n": .integer(Int64(number % 5)), "f": .number(Double(number % 4)), "list": [1], "q": "it's",
        ]
        if number % 7 == 0 { entry.metadata["it's \"here\"\n"] = number % 2 == 0 ? [1] : ["x": 1] }
        entry.metadata["mixed"] = Self.mixedValues[number % Self.mixedValues.count]
        entry.createdAt = Date(timeIntervalSince1970: Double(number) + 0.25)
        entry.updatedAt = Date(timeIntervalSince1970: Double(100 - number))
        // A day without a time, the times around it, and a day before 1970.
        let days = [0: 0, 1: 86_400, 2: 86_399.999, 3: -86_400, 4: -0.001]
        if let seconds = days[number] { entry.createdAt = Date(timeIntervalSince1970: seconds) }
        return entry
    }

    func filtersMatchReference() async throws {
        let entries = (0..<60).map(filteredEntry)
        try await store.saveEntries(entries)
        let cluster = Cluster(label: "c", members: entries[10..<20].map(\.id))
        try await store.updateCluster(cluster)
        let snapshot = try await store.snapshot()
        let members = Set(cluster.members)
        for filter in filters(entries, cluster) {
            let expected = entries.filter {
                filter.matches($0, assigned: members.contains($0.id) ? cluster.id : nil)
            }
            let page = try await snapshot.entries(after: nil, limit: 100, matching: filter)
            try requireEqual(page.entries.map(\.id), expected.map(\.id), "the entries matching \(filter)")
            try requireEqual(
                try await snapshot.rows(matching: filter), RowSet(page.rows), "the rows matching \(filter)")
            var headers: [EntryHeader] = []
            for try await page in snapshot.headerPages(matching: filter, pageSize: 5) {
                try require(
                    page.headers.count <= 5, "a page with a limit of 5 has \(page.headers.count) headers")
                headers += page.headers
            }
            try requireEqual(headers, expected.map(EntryHeader.init), "the headers matching \(filter)")
        }
        let even = try await snapshot.allEntries(matching: EntryFilter(tags: ["even"]), pageSize: 7)
            .reduce(into: []) { $0.append($1.id) }
        try requireEqual(
            even, entries.filter { $0.tags.contains("even") }.map(\.id),
            "the entries of all pages of a filter")
    }
}
