import Foundation
import HTTPTypes
import Roost
import RoostMCP
import RoostModel

/// The selection of entries in requests.
enum EntrySelection {
    private static let maximumLength = 1_000
    private static let maximumCount = 32
    private static let maximumIDs = 1_000
    /// The maximum number of ids in a query, whose length is that of a URL.
    private static let maximumQueryIDs = 100

    /// The members of JSON bodies that select entries.
    static let properties: [String: JSONValue] = [
        "ids": Schema.array(
            of: Schema.id("The id of an entry."), "Only entries with these ids.", minimum: 1,
            maximum: maximumIDs),
        "tags": Schema.array(
            of: Schema.string("A tag.", minimum: 1, maximum: maximumLength),
            "Only entries that have all of these tags, or tags nested in them; case does not matter.",
            maximum: maximumCount),
        "where": Schema.array(
            of: Schema.string("A condition.", minimum: 1, maximum: maximumLength),
            "Only entries whose metadata matches all of these conditions, such as 'year>=2020', "
                + "'lang in en,de', 'status!=done' or 'due exists'. Days, months and years, such as "
                + "'due<=2026-01', 'due<today' or 'due>=2 weeks ago', are compared with values that are "
                + "dates; a word in quotation marks is text. 'created>=2026-01' and 'updated<7d' compare the "
                + "dates of entries, and 'tag!=draft' and 'tag missing' test their tags. "
                + FilterArguments.dayRule,
            maximum: maximumCount),
        "sources": Schema.array(
            of: Schema.string(
                "A file, a folder, a web address or the id of a source.", minimum: 1, maximum: 4_096),
            "Only entries of these sources, or of sources inside these folders and below these web "
                + "addresses. Paths are those of the server.",
            maximum: 1_000),
        "cluster": Schema.string(
            "Only members of the cluster with this id or label; 'none' selects entries in no cluster.",
            minimum: 1, maximum: maximumLength),
        "since": time("Only entries that were created or changed at this time or later"),
        "until": time(
            "Only entries that were created or changed before this time, or until the end of this day, week, "
                + "month or year"),
    ]

    /// Returns the schema of a bound of a period.
    ///
    /// - Parameter description: A sentence without its period.
    static func time(_ description: String) -> JSONValue {
        Schema.string(
            "\(description): \(FilterArguments.timeForms). \(FilterArguments.dayRule)", minimum: 1,
            maximum: 40)
    }

    /// The parameters of queries that select entries. They are shorter and fewer than the members of bodies,
    /// because a URL must fit into the header of a request.
    static let parameters: [Parameter] = properties.keys.sorted().compactMap { name in
        guard var schema = properties[name]?.members else { return nil }
        if var items = schema["items"]?.members {
            items["maxLength"] = 1_000
            schema["items"] = .object(items)
            schema["maxItems"] = name == "ids" ? .integer(Int64(maximumQueryIDs)) : 4
        }
        let singular = ["sources": "source", "tags": "tag"][name] ?? name
        return .query(singular, .object(schema))
    }

    /// Returns the filter that a JSON body or the parameters of a query describe.
    ///
    /// - Parameter snapshot: The snapshot in which sources and a cluster are looked up. It is evaluated only
    ///   if the filter names them, because searches take their own snapshots.
    /// - Throws: ``Problem`` if a condition, a time or an id is invalid.
    static func filter(
        _ value: JSONValue, in snapshot: @autoclosure () async throws -> any StorageSnapshot
    ) async throws -> EntryFilter {
        func strings(_ name: String, _ other: String) -> [String] {
            ((value[name] ?? value[other])?.elements ?? []).compactMap(\.asString)
        }
        var filter = EntryFilter(tags: Set(strings("tags", "tag")))
        filter.ids = try RequestIDs.ids(in: value["ids"], at: "'ids'", of: "entries").map { Set($0) }
        let sources = strings("sources", "source")
        if !sources.isEmpty {
            filter.sources = try await SourceSelection.sources(named: sources, in: try await snapshot())
        }
        do {
            try filter.addConditions(strings("where", "where"), now: Date())
        } catch {
            throw Problem.invalid(FilterArguments.message(of: error))
        }
        filter.setPeriod(since: try period("since", value), until: try period("until", value))
        if let text = value["cluster"]?.asString {
            guard text.lowercased() != EntryFilter.unclusteredName else {
                filter.isUnclustered = true
                return filter
            }
            let snapshot = try await snapshot()
            filter.cluster = try cluster(text, among: try await snapshot.clusterRecords())
            filter = try await filter.expandingParentCluster(in: snapshot)
        }
        return filter
    }

    /// Returns the id of the cluster with an id, or with a label in any case.
    ///
    /// - Throws: ``Problem`` with the status 404 if no cluster matches; with 400 if several have the label.
    private static func cluster(_ text: String, among clusters: [Cluster]) throws(Problem) -> Cluster.ID {
        if let id = UUID(uuidString: text) {
            guard clusters.contains(where: { $0.id == id }) else {
                throw .notFound("no cluster has the id \(id.text)")
            }
            return id
        }
        let found = clusters.filter { $0.label.lowercased() == text.lowercased() }
        guard let first = found.first else {
            throw .notFound("no cluster has the id or label '\(text.prefix(80))'")
        }
        guard found.count == 1 else {
            throw .invalid("several clusters have the label '\(text.prefix(80))'; give an id")
        }
        return first.id
    }

    /// Returns the period that a member names: a day, week, month or year in the server's time zone, or a
    /// moment, whose period is empty; `nil` if it is absent.
    ///
    /// - Throws: ``Problem`` if it names no time.
    static func period(_ name: String, _ value: JSONValue) throws(Problem) -> DatePeriod? {
        guard let text = value[name]?.asString else { return nil }
        guard let period = DatePeriod(requested: text, now: Date()) else {
            throw .invalid("'\(name)' must be a time such as \(FilterArguments.timeForms)")
        }
        return period
    }
}
