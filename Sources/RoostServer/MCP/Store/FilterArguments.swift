package import Foundation
import Roost
package import RoostModel

/// The arguments that select entries.
package enum FilterArguments {
    static let properties = [
        ToolProperty(
            "tags", .array(of: .string(maximumBytes: 1_000), maximumCount: 32),
            "Only entries that have all of these tags, or tags nested in them; case does not matter."),
        ToolProperty(
            "where", .array(of: .string(maximumBytes: 1_000), maximumCount: 32),
            conditions),
        ToolProperty(
            "sources", .array(of: .string(maximumBytes: 4_096), maximumCount: 32),
            "Only entries from one of these files, folders or web addresses: a path, or the 'url' of a "
                + "result or its beginning up to a slash."),
        ToolProperty(
            "cluster", .string(maximumBytes: EntryLookup.maximumNameLength),
            "Only members of the cluster with this id or label; 'none' selects entries in no cluster."),
        ToolProperty(
            "since", .string(maximumBytes: 40),
            "Only entries created or changed since this time: \(timeForms). \(dayRule)"),
        ToolProperty(
            "until", .string(maximumBytes: 40),
            "Only entries created or changed until the end of this day, week, month or year, or before this "
                + "time."),
    ]

    /// The description of `where`.
    package static let conditions =
        "Only entries whose metadata matches all of these conditions: 'year>=2020', 'lang in en,de', "
        + "'status!=done', 'title^=On ' (prefix), 'due exists', 'due missing'. Days, months and years, such "
        + "as 'due<=2026-01', 'due<today' or 'due>=2 weeks ago', are compared with values that are dates; a "
        + "word in quotation marks is text. 'created>=2026-01' and 'updated<7d' compare the dates of entries; "
        + "'tag!=draft' and 'tag missing' test their tags. \(dayRule)"

    /// The forms of `since` and `until`, for descriptions.
    package static let timeForms =
        "2026-01, 2026-01-31, 2026-01-31T09:00:00Z, 7d, yesterday, 'last week' or '3 weeks ago'"

    /// The sentence about the days of filters and questions. A person means the days of their time zone,
    /// which is that of a server on the same computer. A client can name other times with an offset.
    package static let dayRule = "Days are those of the server's time zone."

    /// Returns the filter that the members of an object describe, without the access rules.
    ///
    /// - Throws: ``ToolFailure`` if a condition, a time or an id is invalid, or the cluster does not exist.
    package static func filter(_ values: JSONValue, _ lookup: EntryLookup) async throws -> EntryFilter {
        var filter = EntryFilter(tags: Set(values.strings("tags")))
        if values["ids"] != nil { filter.ids = Set(try ids(values, "ids")) }
        do {
            try filter.addConditions(values.strings("where"), now: Date())
        } catch {
            throw ToolFailure(message(of: error))
        }
        let sources = values.strings("sources")
        if !sources.isEmpty {
            filter.sources = try await SourceSelection.sources(named: sources, in: lookup.snapshot)
        }
        filter.setPeriod(since: try period("since", values), until: try period("until", values))
        if let name = values["cluster"]?.asString {
            guard lookup.rules.showsClusters else {
                throw ToolFailure("'cluster' cannot be used: this server shows only a part of the store")
            }
            if name.lowercased() == EntryFilter.unclusteredName {
                filter.isUnclustered = true
            } else {
                filter.cluster = try lookup.cluster(
                    name, among: try await lookup.snapshot.clusterRecords()
                ).id
                filter = try await filter.expandingParentCluster(in: lookup.snapshot)
            }
        }
        return filter
    }

    /// Returns the ids in a member of an object; empty if it is absent.
    ///
    /// - Throws: ``ToolFailure`` if one of them is no UUID.
    package static func ids(_ values: JSONValue, _ name: String) throws(ToolFailure) -> [UUID] {
        let texts = values.strings(name)
        let ids = texts.compactMap(UUID.init(uuidString:))
        guard ids.count == texts.count else {
            throw ToolFailure("'\(name)' must contain ids, which are UUIDs")
        }
        return ids
    }

    /// Returns the sentence about a text in `where` that is not a condition.
    private static func message(of fault: EntryCondition.Fault) -> String {
        switch fault {
        case .form:
            "'where' takes a key, one of = != < <= > >= ^= and a value, or 'key in a,b', 'key exists', "
                + "'key missing'"
        case .noOperand:
            "'where' needs a value after the operator, such as 'year>=2020'; 'key exists' selects entries "
                + "with any value"
        case .noTime(let operand):
            "'where' compares 'created' and 'updated' with a time such as \(timeForms), not with "
                + "'\(operand.prefix(MCPServer.echoLimit))'"
        }
    }

    /// Returns the period that an argument names: a day, week, month or year in the server's time zone, or a
    /// moment, whose period is empty; `nil` if it is absent.
    ///
    /// - Throws: ``ToolFailure`` if it names no time.
    package static func period(_ name: String, _ values: JSONValue) throws(ToolFailure) -> DatePeriod? {
        guard let text = values[name]?.asString else { return nil }
        guard let period = DatePeriod(requested: text, now: Date()) else {
            throw ToolFailure("'\(name)' must be a time such as \(timeForms)")
        }
        return period
    }
}

extension EntryFilter {
    /// Adds conditions that a client wrote. Days are those of the server's time zone.
    fileprivate mutating func addConditions(_ texts: [String], now: Date) throws(EntryCondition.Fault) {
        let times = TimeArgument(now: now)
        for text in texts {
            let condition = try EntryCondition(written: text, times)
            if !addDates(condition, naming: { DatePeriod(requested: $0, now: now) }) {
                conditions.append(condition)
            }
        }
    }
}

extension DatePeriod {
    /// Creates the period that a client names: a day, week, month or year in the server's time zone, or an
    /// exact time in ISO 8601, whose period is empty also for entries that are dated by a day.
    ///
    /// - Returns: `nil` if the text names no time.
    fileprivate init?(requested text: String, now: Date) {
        if let date = DateText.date(from: text) {
            self.init(date..<date)
        } else if let period = TimeArgument(now: now).period(text) {
            self = period
        } else {
            return nil
        }
    }
}
