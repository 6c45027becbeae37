public import Foundation

/// A filter that selects entries. An entry matches if it satisfies every condition; ``all`` has no
/// conditions.
///
/// Strings are compared byte by byte, as storage backends do, except for tags.
public struct EntryFilter: Sendable, Hashable {
    /// The ids of the entries that match; `nil` for any id.
    public var ids: Set<Entry.ID>?
    /// The first characters of the id in its text form, lower-case with hyphens.
    public var idPrefix: String? { didSet { idPrefix = idPrefix?.lowercased() } }
    /// The ids of the sources whose entries match; `nil` for all entries, with or without a source.
    public var sources: Set<String>?
    /// The tags that an entry must have. An entry must have all of them, or tags that are nested in them:
    /// `garden` matches `garden` and `garden/herbs`. Case and Unicode normalization do not matter.
    public var tags: Set<String>
    /// The metadata that an entry must have: for each key, the value in the form of ``MetadataValue/text``,
    /// or one of the elements of an array.
    public var metadata: [String: String]
    /// The cluster that an entry must be assigned to; `nil` for all entries, assigned or not.
    public var cluster: Cluster.ID?
    /// Whether only entries match that are assigned to no cluster: outliers, and entries without an
    /// assignment.
    public var isUnclustered = false
    /// Further conditions on values of an entry.
    public var conditions: [EntryCondition] = []
    /// The period in which an entry must have been created; `nil` for any date.
    public var creationPeriod: DatePeriod?
    /// The period in which an entry must have last changed; `nil` for any date.
    public var changePeriod: DatePeriod?
    /// The period in which an entry must have been created or last changed; `nil` for any dates.
    public var period: DatePeriod?

    /// The half-open range of dates in which an entry must have been created; `nil` for any date. A
    /// ``creationPeriod`` that makes no difference between dates with and without a time of day.
    public var created: Range<Date>? {
        get { creationPeriod?.times }
        set { creationPeriod = newValue.map { DatePeriod($0) } }
    }
    /// The half-open range of dates in which an entry must have last changed; `nil` for any date. A
    /// ``changePeriod`` that makes no difference between dates with and without a time of day.
    public var updated: Range<Date>? {
        get { changePeriod?.times }
        set { changePeriod = newValue.map { DatePeriod($0) } }
    }

    /// The filter that matches every entry.
    public static let all = EntryFilter()

    /// Creates a filter that matches every entry, like ``all``. Without this initializer, `EntryFilter()`
    /// would be ambiguous.
    public init() { self.init(ids: nil) }

    /// Creates a filter. Omitted arguments impose no condition.
    public init(
        ids: Set<Entry.ID>? = nil, idPrefix: String? = nil, sources: Set<String>? = nil,
        tags: Set<String> = [], metadata: [String: String] = [:], cluster: Cluster.ID? = nil
    ) {
        self.ids = ids
        self.idPrefix = idPrefix.map { $0.lowercased() }
        (self.sources, self.tags, self.metadata, self.cluster) = (sources, tags, metadata, cluster)
    }

    /// Whether the filter has no conditions.
    public var matchesAll: Bool { self == .all }

    /// Whether the filter has a condition on more than the id, source and cluster. If so, matching an entry
    /// requires reading it.
    var dependsOnContents: Bool {
        !tags.isEmpty || !metadata.isEmpty || !conditions.isEmpty || creationPeriod != nil
            || changePeriod != nil || period != nil
    }

    /// Whether a storage must know the tags of the store to evaluate the filter with
    /// ``EntryCondition/Test/tags(among:)``.
    package var testsTags: Bool { !tags.isEmpty || conditions.contains { $0.field == .tag } }

    /// Returns whether entries of the given source can match.
    func allows(source: String?) -> Bool {
        guard let sources else { return true }
        guard let source, let index = sources.firstIndex(of: source) else { return false }
        return ExactText.areSame(sources[index], source)
    }

    /// Returns whether an entry matches.
    ///
    /// This is the reference implementation with which tests compare the queries of storage providers.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - assigned: The cluster of the entry; `nil` for an entry in no cluster.
    public func matches(_ entry: Entry, assigned: Cluster.ID?) -> Bool {
        if let ids, !ids.contains(entry.id) { return false }
        if let idPrefix, !entry.id.uuidString.lowercased().hasPrefix(idPrefix) { return false }
        if let cluster, cluster != assigned { return false }
        if isUnclustered, assigned != nil { return false }
        if let creationPeriod, !creationPeriod.contains(entry.createdAt) { return false }
        if let changePeriod, !changePeriod.contains(entry.updatedAt) { return false }
        if let period, !period.contains(entry.createdAt), !period.contains(entry.updatedAt) { return false }
        // Compare bytes, as backends do. Swift's `==` ignores differences in Unicode normalization.
        guard allows(source: entry.source),
            tags.allSatisfy({ EntryCondition.Test.equals($0).holds(ofTags: entry.tags) }),
            conditions.allSatisfy({ $0.holds(of: entry) })
        else { return false }
        return metadata.allSatisfy { key, text in
            let found = entry.metadata.first { $0.key.utf8.elementsEqual(key.utf8) }
            return found?.value.comparableTexts.contains { $0.utf8.elementsEqual(text.utf8) } ?? false
        }
    }
}
