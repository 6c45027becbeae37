import Foundation
import Roost
import RoostModel

/// The parameters that select entries.
struct EntrySelection: Decodable, Sendable {
    var ids: [String]?
    var tags: [String]?
    var `where`: [String]?
    var sources: [String]?
    var cluster: String?
    var since: String?
    var until: String?

    static let parameters =
        [
            Argument(
                "ids",
                Schema.array(
                    of: Schema.string("An id.", minimum: 1, maximum: OperationContext.maximumNameLength),
                    "Only entries with these ids.", minimum: 1, maximum: 100), .programs),
            Argument(
                "tags",
                Schema.array(
                    of: Schema.string("A tag.", minimum: 1, maximum: 1_000),
                    "Only entries that have all of these tags, or tags nested in them; case does not matter.",
                    maximum: 32)),
            Argument(
                "where",
                Schema.array(
                    of: Schema.string("A condition.", minimum: 1, maximum: 1_000), conditions, maximum: 32)),
            Argument(
                "sources",
                Schema.array(
                    of: Schema.string("A source.", minimum: 1, maximum: 4_096),
                    "Only entries from one of these files, folders or web addresses: a path, or the 'url' of a "
                        + "result or its beginning up to a slash.", maximum: 8)),
            Argument(
                "cluster",
                Schema.string(
                    "Only members of the cluster with this id or label; 'none' selects entries in no cluster.",
                    minimum: 1, maximum: OperationContext.maximumNameLength)),
        ] + periodParameters("entries created or changed")

    static func periodParameters(_ subject: String) -> [Argument] {
        [
            Argument(
                "since",
                Schema.string(
                    "Only \(subject) since this time: \(TimeText.forms). \(TimeText.dayRule)", minimum: 1,
                    maximum: 40)),
            Argument(
                "until",
                Schema.string(
                    "Only \(subject) until the end of this day, week, month or year, or before this time.",
                    minimum: 1, maximum: 40)),
        ]
    }

    private static let conditions =
        "Only entries whose metadata matches all of these conditions: 'year>=2020', 'lang in en,de', "
        + "'status!=done', 'title^=On ' (prefix), 'due exists', 'due missing'. Days, months and years, such "
        + "as 'due<=2026-01', 'due<today' or 'due>=2 weeks ago', are compared with values that are dates; a "
        + "word in quotation marks is text. 'created>=2026-01' and 'updated<7d' compare the dates of entries; "
        + "'tag!=draft' and 'tag missing' test their tags. \(TimeText.dayRule)"

    /// Whether no parameter selects entries.
    var isEmpty: Bool {
        ids == nil && tags == nil && `where` == nil && sources == nil && cluster == nil && since == nil
            && until == nil
    }

    /// Returns the filter without the rules for access.
    ///
    /// - Throws: ``OperationError`` if a condition, a time or an id is invalid, or the cluster does not exist.
    func filter(in context: OperationContext) async throws -> EntryFilter {
        var filter = EntryFilter(tags: Set(tags ?? []))
        if let ids { filter.ids = Set(try TextValues.ids(ids, "ids")) }
        do {
            try filter.addConditions(`where` ?? [], now: Date())
        } catch {
            throw OperationError(Self.message(of: error))
        }
        if let sources, !sources.isEmpty {
            filter.sources = try await SourceSelection.sources(named: sources, in: context.snapshot)
        }
        filter.setPeriod(
            since: try TimeText.period("since", since), until: try TimeText.period("until", until))
        guard let cluster else { return filter }
        guard context.rules.showsEverything else {
            throw OperationError("'cluster' cannot be used: this server shows only a part of the store")
        }
        if cluster.lowercased() == EntryFilter.unclusteredName {
            filter.isUnclustered = true
            return filter
        }
        do {
            filter.cluster = try context.cluster(
                cluster, among: try await context.snapshot.clusterRecords()
            ).id
        } catch let error as OperationError {
            throw OperationError(error.message)
        }
        return try await filter.expandingParentCluster(in: context.snapshot)
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
            "'where' compares 'created' and 'updated' with a time such as \(TimeText.forms), not with "
                + "'\(operand.prefix(OperationContext.echoLimit))'"
        }
    }
}

/// The times that clients write.
enum TimeText {
    /// The forms of times, for descriptions.
    static let forms =
        "2026-01, 2026-01-31, 2026-01-31T09:00:00Z, 7d, yesterday, 'last week' or '3 weeks ago'"

    /// The sentence about the days of filters and questions. A person means the days of their time zone, which is that
    /// of a server on the same computer. A client can name other times with an offset.
    static let dayRule = "Days are those of the server's time zone."

    /// Returns the period that a parameter names: a day, week, month or year in the server's time zone, or a moment,
    /// whose period is empty; `nil` if it is absent.
    ///
    /// - Throws: ``OperationError`` if it names no time.
    static func period(_ name: String, _ text: String?) throws(OperationError) -> DatePeriod? {
        guard let text else { return nil }
        guard let period = DateReader(now: Date()).period(text) else {
            throw OperationError("'\(name)' must be a time such as \(forms)")
        }
        return period
    }
}

/// Checks of the values that clients give.
enum TextValues {
    /// The key that marks messages of conversations. If a client could set it, an entry would look like a message.
    private static let reservedKey = "kind"

    /// Returns the ids in a parameter.
    ///
    /// - Throws: ``OperationError`` if one of them is no UUID.
    static func ids(_ texts: [String], _ name: String) throws(OperationError) -> [UUID] {
        let ids = texts.compactMap(UUID.init(uuidString:))
        guard ids.count == texts.count else {
            throw OperationError("'\(name)' must contain ids, which are UUIDs")
        }
        return ids
    }

    /// Returns the tags in a parameter.
    ///
    /// - Throws: ``OperationError`` if a tag is empty or contains a line break or another control character.
    static func newTags(_ tags: [String]?, _ name: String) throws(OperationError) -> [String] {
        guard let tags else { return [] }
        guard tags.allSatisfy(TagName.isValid) else {
            throw OperationError(
                "'\(name)' contains a tag that is empty, or has a line break or another control character")
        }
        return TagName.distinct(tags)
    }

    /// Returns metadata that a client gives.
    ///
    /// - Throws: ``OperationError`` if a key is empty or reserved.
    static func metadata(
        _ metadata: [String: JSONValue]?
    ) throws(OperationError) -> [String: JSONValue] {
        guard let metadata else { return [:] }
        guard metadata[""] == nil else { throw OperationError("a key in 'metadata' is empty") }
        guard metadata[reservedKey] == nil else {
            throw OperationError("the key '\(reservedKey)' in 'metadata' is reserved; use another key")
        }
        return metadata
    }

    /// Checks that a text is not only white space.
    static func check(_ text: String?, _ name: String) throws(OperationError) {
        guard text?.allSatisfy(\.isWhitespace) != true else { throw OperationError("'\(name)' is empty") }
    }
}

extension EntryFilter {
    /// Adds conditions that a client wrote. Days are those of the server's time zone.
    fileprivate mutating func addConditions(_ texts: [String], now: Date) throws(EntryCondition.Fault) {
        let times = DateReader(now: now)
        for text in texts {
            let condition = try EntryCondition(written: text, times)
            if !addDates(condition, naming: times.period) { conditions.append(condition) }
        }
    }
}
