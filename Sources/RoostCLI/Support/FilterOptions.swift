import ArgumentParser
import Foundation
import Roost
import RoostServer

/// The options that select entries and messages by their times.
struct PeriodOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(Operations.help("since", of: "list"), valueName: "when"))
    var since: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(Operations.help("until", of: "list"), valueName: "when"))
    var until: String?

    var isEmpty: Bool { since == nil && until == nil }

    func validate() throws {
        do {
            _ = try (TimeText.period("--since", since), TimeText.period("--until", until))
        } catch {
            throw ValidationError(error.message)
        }
    }
}

struct FilterOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            Operations.help("where", of: "list")
                + " Days, months and years are compared with values that are dates; a word in quotation marks is "
                + "text. Repeatable.", valueName: "condition"))
    var `where`: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(Operations.help("tags", of: "list") + " Repeatable."),
        transform: TagArgument.tag)
    var tag: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(Operations.help("sources", of: "list") + " Repeatable.", valueName: "PATH"))
    var source: [String] = []

    @OptionGroup var period: PeriodOptions

    @Option(
        name: .long,
        help: ArgumentHelp(Operations.help("cluster", of: "list"), valueName: "ID"))
    var cluster: String?

    func validate() throws { _ = try Self.filter(where: self.where) }

    func filter(_ options: StoreOptions, _ store: KnowledgeStore) async throws -> EntryFilter {
        var selection = EntrySelection()
        (selection.tags, selection.where, selection.sources) = (tag, self.where, source)
        (selection.since, selection.until, selection.cluster) = (period.since, period.until, cluster)
        return try await selection.filter(in: store.storage.snapshot())
    }

    static func filter(where conditions: [String]) throws -> EntryFilter {
        var selection = EntrySelection()
        selection.where = conditions
        do {
            return try selection.filterWithoutNames()
        } catch {
            throw ValidationError("--where: " + error.message)
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
