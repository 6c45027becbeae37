import ArgumentParser
import Foundation
import Roost

/// The options that select entries and messages by their times.
struct PeriodOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Only what was created or changed since this time: 7d, yesterday, '3 weeks ago', 2026-01, or "
                + "2026-01-31.", valueName: "when"))
    var since: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Only what was created or changed until this time, in the same form. A day, week, month or year "
                + "is included to its end.", valueName: "when"))
    var until: String?

    var isEmpty: Bool { since == nil && until == nil }

    func validate() throws {
        for text in [since, until].compactMap(\.self) where DateReader(now: Date()).period(text) == nil {
            throw ValidationError(
                "invalid time '\(Terminal.line(text, limit: 40))'; use \(DateReader.forms)")
        }
    }
}

struct FilterOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Only entries whose metadata matches: 'year>=2020', 'due<today', 'lang in en,de', 'status!=done', \
            'title^=On ' (prefix), 'due exists', 'due missing'; repeatable, all must match. Days, months and \
            years, such as 'due<=2026-01', 'due<monday' or 'due>=2 days ago', are compared with values that \
            are dates; a word in quotation marks is text: 'name<"may"'. 'created>=2026-01' and 'updated<7d' \
            compare the dates of the entry, in the forms of --since. 'tag!=draft' and 'tag missing' test its \
            tags.
            """, valueName: "condition"))
    var `where`: [String] = []

    @Option(
        name: .long,
        help: "Only entries with this tag or a tag nested in it; repeatable, all must be present.",
        transform: TagArgument.tag)
    var tag: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Only entries from this file, folder or source; repeatable.", valueName: "PATH"))
    var source: [String] = []

    @OptionGroup var period: PeriodOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only members of the cluster with this id or label. For a cluster that contains other clusters, "
                + "this includes all their members. 'none' selects the entries that are in no cluster.",
            valueName: "ID"))
    var cluster: String?

    func validate() throws {
        let times = DateReader(now: Date())
        for text in self.where { _ = try Self.condition(text, times) }
    }

    func filter(_ options: StoreOptions, _ store: KnowledgeStore) async throws -> EntryFilter {
        var filter = EntryFilter(tags: Set(tag))
        let now = Date()
        let times = DateReader(now: now)
        for text in self.where {
            let condition = try Self.condition(text, times)
            if !filter.addDates(condition, naming: times.period) { filter.conditions.append(condition) }
        }
        if !source.isEmpty {
            filter.sources = try await SourceSelection.sources(
                named: source, in: try await store.storage.snapshot())
        }
        filter.setPeriod(
            since: period.since.flatMap(times.period), until: period.until.flatMap(times.period))
        if cluster?.lowercased() == EntryFilter.unclusteredName {
            filter.isUnclustered = true
        } else if let cluster {
            filter.cluster = try await options.cluster(cluster, store).id
            filter = try await filter.expandingParentCluster(in: store.storage.snapshot())
        }
        return filter
    }

    static func condition(_ text: String, _ times: DateReader) throws -> EntryCondition {
        do {
            return try EntryCondition(written: text, times)
        } catch {
            throw ValidationError(
                "--where must be a key, one of = != < <= > >= ^= and a value, or 'key in a,b', 'key exists', "
                    + "'key missing', not '\(Terminal.line(text, limit: 60))'; a compared date is a day, such "
                    + "as 2026-01-31 or '2 days ago'")
        }
    }

    /// Whether only tags and sources are given, or nothing.
    private var hasOnlyNames: Bool {
        self.where.isEmpty && period.isEmpty && cluster == nil
    }

    var hasOnlySources: Bool { hasOnlyNames && tag.isEmpty && !source.isEmpty }

    var isEmpty: Bool { hasOnlyNames && source.isEmpty && tag.isEmpty }

    var missReason: String {
        guard hasOnlyNames, tag.count + source.count == 1 else { return "no entry matches the filter" }
        if let name = tag.first { return "no entry has the tag '\(Terminal.line(name, limit: 60))'" }
        return "no entry is from '\(Terminal.line(source[0], limit: 60))'; `roost list` shows the files of "
            + "entries"
    }
}
