import ArgumentParser
import Foundation
import Roost

/// Which entries are meant.
struct FilterOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Only entries whose metadata is so: 'year>=2020', 'lang in en,de', 'status!=done', 'title^=On ', \
            'due exists', 'due missing'.
            """, valueName: "condition"))
    var `where`: [String] = []

    @Option(name: .long, help: "Only entries with this tag; several must all be there.")
    var tag: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("Only entries of this file, folder or source.", valueName: "PATH"))
    var source: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only entries changed since: 7d, 12h, 2026-01-31 or a date with time.", valueName: "when"))
    var since: String?

    @Option(name: .long, help: ArgumentHelp("Only entries changed before.", valueName: "when"))
    var until: String?

    @Option(name: .long, help: ArgumentHelp("Only members of this cluster.", valueName: "ID"))
    var cluster: String?

    func validate() throws {
        for text in [since, until].compactMap(\.self) where Self.date(text, now: Date()) == nil {
            throw ValidationError(
                "'\(Terminal.line(text, limit: 40))' is no date: give 30m, 12h, 7d, 2w, 2026-01-31 or "
                    + "2026-01-31T09:00:00Z.")
        }
        for text in self.where where EntryCondition(where: text) == nil {
            throw ValidationError(
                "--where takes a key, one of = != < <= > >= ^= and a value, or 'key in a,b', 'key exists', "
                    + "'key missing', not '\(Terminal.line(text, limit: 60))'.")
        }
    }

    func filter(_ options: StoreOptions, _ store: KnowledgeStore) async throws -> EntryFilter {
        var filter = EntryFilter(tags: Set(tag))
        filter.conditions = self.where.compactMap(EntryCondition.init(where:))
        if !source.isEmpty { filter.sources = try await sources(store) }
        let now = Date()
        if since != nil || until != nil {
            let start = since.flatMap { Self.date($0, now: now) } ?? .distantPast
            filter.updated = start..<max(start, until.flatMap { Self.date($0, now: now) } ?? .distantFuture)
        }
        if let cluster { filter.cluster = try await options.cluster(cluster, store).id }
        return filter
    }

    /// The sources that are what was given, or are in the folder that was given.
    private func sources(_ store: KnowledgeStore) async throws -> Set<String> {
        let known = try await store.storage.snapshot().sources().map(\.id)
        var found = Set<String>()
        for text in source {
            let file = RecordReader.sourceID(URL(fileURLWithPath: text))
            let folder = file.hasSuffix("/") ? file : file + "/"
            found.formUnion([text, file])
            found.formUnion(known.filter { $0.hasPrefix(folder) })
        }
        return found
    }

    /// A point in time: so long ago, a day's beginning here, or a date with time and zone.
    static func date(_ text: String, now: Date) -> Date? {
        let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()), count >= 0 {
            return now.addingTimeInterval(-Double(count) * unit)
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        if parts.count == 3, text.utf8.count == 10, parts.allSatisfy({ $0 != nil }) {
            let components = DateComponents(year: parts[0], month: parts[1], day: parts[2])
            let calendar = Calendar(identifier: .gregorian)
            guard components.isValidDate(in: calendar) else { return nil }
            return calendar.date(from: components)
        }
        return DateText.date(from: text)
    }
}

extension EntryCondition {
    /// A condition as people write it: `key=value` and the like. The first sign counts; spaces around it are
    /// left out.
    init?(where text: String) {
        let signs: [(sign: String, test: (String) -> Test)] = [
            ("!=", Test.differs), ("<=", Test.isAtMost), (">=", Test.isAtLeast), ("^=", Test.hasPrefix),
            ("=", Test.equals), ("<", Test.isLess), (">", Test.isGreater),
        ]
        if let place = text.firstIndex(where: { "!<>^=".contains($0) }) {
            let rest = text[place...]
            guard let (sign, test) = signs.first(where: { rest.hasPrefix($0.sign) }) else { return nil }
            let key = text[..<place]
            let isSpaced = key.last == " "
            let value = rest.dropFirst(sign.count)
            self.init(
                Self.field(String(isSpaced ? key.dropLast() : key)),
                test(String(isSpaced && value.first == " " ? value.dropFirst() : value)))
        } else if let place = text.range(of: " in ") {
            let values = text[place.upperBound...].split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            self.init(Self.field(String(text[..<place.lowerBound])), .isOneOf(values))
        } else if text.hasSuffix(" exists") {
            self.init(Self.field(String(text.dropLast(7))), .exists)
        } else if text.hasSuffix(" missing") {
            self.init(Self.field(String(text.dropLast(8))), .isMissing)
        } else {
            return nil
        }
        if case .metadata(let key) = field, key.isEmpty { return nil }
    }

    private static func field(_ key: String) -> Field { .metadata(key) }
}
