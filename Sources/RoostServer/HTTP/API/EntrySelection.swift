import Foundation
import HTTPTypes
import Roost
import RoostModel

/// The selection of entries in requests.
enum EntrySelection {
    private static let maximumLength = 1_000
    private static let maximumCount = 32
    private static let maximumIDs = 1_000
    /// The maximum number of ids in a query, whose length is that of a URL.
    private static let maximumQueryIDs = 100

    /// The names of parameters that are repeated instead of being arrays.
    private static let singularNames = ["sources": "source", "tags": "tag"]

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
            FilterArguments.conditions,
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
        return .query(singularNames[name] ?? name, .object(schema))
    }

    /// Returns the filter that a JSON body or the parameters of a query describe.
    ///
    /// - Throws: `ToolFailure` if a condition, a time, an id or a cluster is invalid.
    static func filter(_ value: JSONValue, in snapshot: any StorageSnapshot) async throws -> EntryFilter {
        var members = value.members ?? [:]
        for (plural, singular) in singularNames where members[singular] != nil {
            members[plural] = members[singular]
        }
        return try await FilterArguments.filter(.object(members), EntryLookup(snapshot: snapshot))
    }
}
