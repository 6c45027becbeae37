import Foundation
import Roost
package import RoostModel

package struct EntrySelection: Decodable, Sendable {
    package var ids: [String]?
    package var tags: [String]?
    package var `where`: [String]?
    package var sources: [String]?
    package var cluster: String?
    package var since: String?
    package var until: String?

    package init() {}

    static let parameters =
        [
            Argument("ids", ids(100), .programs),
            Argument(
                "tags",
                Schema.array(
                    of: Schema.string("A tag.", minimum: 1, maximum: 1_000),
                    "Only entries with all of these tags, or tags nested in them.", maximum: 32)),
            Argument(
                "where",
                Schema.array(
                    of: Schema.string("A condition.", minimum: 1, maximum: 1_000), conditions, maximum: 32)),
            Argument(
                "sources",
                Schema.array(
                    of: Schema.string("A source.", minimum: 1, maximum: 4_096),
                    "Only from these files, folders or web addresses.", maximum: 8)),
            Argument(
                "cluster",
                Schema.string(
                    "Only members of this cluster; 'none': of no cluster.", minimum: 1,
                    maximum: OperationContext.maximumNameLength)),
        ] + periodParameters("entries created or changed")

    /// - Parameter maximum: The maximum number of ids. The address of a request has room for 100.
    static func ids(_ maximum: Int) -> JSONValue {
        Schema.array(
            of: Schema.string("An id.", minimum: 1, maximum: OperationContext.maximumNameLength),
            "Only entries with these ids.", minimum: 1, maximum: maximum)
    }

    static func periodParameters(_ subject: String) -> [Argument] {
        [
            Argument(
                "since",
                Schema.string(
                    "Only \(subject) since this time: 2026-01, 2026-01-31, 7d, yesterday, 'last week'.",
                    minimum: 1, maximum: 40)),
            Argument(
                "until",
                Schema.string(
                    "Only \(subject) until this time; a period is included.", minimum: 1, maximum: 40)),
        ]
    }

    /// The name that stands for entries in no cluster where programs and persons name a cluster. A cluster with
    /// this label can be named only by its id.
    static let unclusteredName = "none"

    private static let conditions =
        "Conditions that all must hold: 'year>=2020', 'lang in en,de', 'status!=done', 'title^=On' (prefix), "
        + "'due exists', 'due<=2026-01', 'created>=2 weeks ago', 'tag!=draft'."

    var isEmpty: Bool {
        ids == nil && tags == nil && `where` == nil && sources == nil && cluster == nil && since == nil
            && until == nil
    }

    /// Returns the filter without the rules for access.
    func filter(in context: OperationContext) async throws -> EntryFilter {
        guard cluster == nil || context.rules.showsEverything else {
            throw OperationError("'cluster' cannot be used: this server shows only a part of the store")
        }
        do {
            return try await filter(in: context.snapshot)
        } catch let error as OperationError {
            // The cluster of a filter is not the object of the request.
            throw OperationError(error.message)
        }
    }

    /// Returns the filter.
    package func filter(in snapshot: any StorageSnapshot) async throws -> EntryFilter {
        var filter = try filterWithoutNames()
        if let sources, !sources.isEmpty {
            filter.sources = try await SourceSelection.sources(named: sources, in: snapshot)
        }
        guard let cluster else { return filter }
        if cluster.lowercased() == Self.unclusteredName {
            filter.isUnclustered = true
            return filter
        }
        filter.cluster = try await snapshot.clusterRecords().named(cluster).id
        return try await filter.expandingParentCluster(in: snapshot)
    }

    /// Returns the filter without the sources and the cluster, which only a store can look up. Days are those of the
    /// server's time zone.
    package func filterWithoutNames() throws(OperationError) -> EntryFilter {
        var filter = EntryFilter(tags: Set(tags ?? []))
        if let ids { filter.ids = Set(try TextValues.ids(ids, "ids")) }
        let times = DateReader(now: Date())
        for text in `where` ?? [] {
            let condition = try EntryCondition(written: text, times)
            if !filter.addDates(condition, naming: times.period) { filter.conditions.append(condition) }
        }
        filter.setPeriod(
            since: try TimeText.period("since", since), until: try TimeText.period("until", until))
        return filter
    }
}

package enum TimeText {
    static let forms =
        "2026-01, 2026-01-31, 2026-01-31T09:00:00Z, 7d, yesterday, 'last week' or '3 weeks ago'"

    /// A person means the days of their time zone, which is that of a server on the same computer. A client can name
    /// other times with an offset.
    static let dayRule = "Days are those of the server's time zone."

    /// Returns the period that a parameter names: a day, week, month or year in the server's time zone, or a moment,
    /// whose period is empty; `nil` if it is absent.
    package static func period(_ name: String, _ text: String?) throws(OperationError) -> DatePeriod? {
        guard let text else { return nil }
        guard let period = DateReader(now: Date()).period(text) else {
            throw OperationError("'\(name)' must be a time such as \(forms)")
        }
        return period
    }
}

package enum TextValues {
    private static let maximumKeys = 64

    static func ids(_ texts: [String], _ name: String) throws(OperationError) -> [UUID] {
        let ids = texts.compactMap(UUID.init(uuidString:))
        guard ids.count == texts.count else {
            throw OperationError("'\(name)' must contain ids, which are UUIDs")
        }
        return ids
    }

    /// Returns the tags in a parameter.
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
    /// - Throws: ``OperationError`` if there are too many keys, a key is empty, or a value would make an entry look like a
    ///   message.
    package static func metadata(
        _ metadata: [String: JSONValue]?
    ) throws(OperationError) -> [String: JSONValue] {
        guard let metadata else { return [:] }
        guard metadata.count <= maximumKeys else {
            throw OperationError("'metadata' has more than \(maximumKeys) keys")
        }
        guard metadata[""] == nil else { throw OperationError("a key in 'metadata' is empty") }
        guard !metadata.contains(where: DocumentKey.marksMessage) else {
            throw OperationError(
                "the metadata '\(DocumentKey.kind)=\(DocumentKey.messageKind)' marks messages of conversations; use "
                    + "another key or value")
        }
        return metadata
    }

    static func check(_ text: String?, _ name: String) throws(OperationError) {
        guard text?.allSatisfy(\.isWhitespace) != true else { throw OperationError("'\(name)' is empty") }
    }
}
