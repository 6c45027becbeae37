public import Foundation

/// A selection of entries. An entry matches if it satisfies every condition; ``all`` has no conditions.
///
/// All strings are compared byte by byte, as storage backends do.
public struct EntryFilter: Sendable, Hashable {
    /// The ids of the entries; `nil` for any.
    public var ids: Set<Entry.ID>?
    /// The first characters of the id in its text form, lower-case with hyphens.
    public var idPrefix: String? {
        didSet { idPrefix = idPrefix?.lowercased() }
    }
    /// The ids of the sources; `nil` for any source or none.
    public var sources: Set<String>?
    /// The tags that an entry must have, all of them.
    public var tags: Set<String>
    /// The metadata that an entry must have: for each key, the value as ``MetadataValue/text``.
    public var metadata: [String: String]
    /// The cluster that an entry must be assigned to; `nil` for any or none.
    public var cluster: Cluster.ID?
    /// Further conditions on values of an entry.
    public var conditions: [EntryCondition] = []
    /// The half-open range of dates in which an entry must have been created; `nil` for any.
    public var created: Range<Date>?
    /// The half-open range of dates in which an entry must have last changed; `nil` for any.
    public var updated: Range<Date>?

    /// The filter that every entry matches.
    public static let all = EntryFilter()

    /// Creates a filter that every entry matches, like ``all``.
    ///
    /// Without this initializer, `EntryFilter()` would be ambiguous: the others can also be called without
    /// arguments.
    public init() { self.init(ids: nil) }

    /// Creates a filter. An argument that is not given is no condition.
    public init(
        ids: Set<Entry.ID>? = nil, idPrefix: String? = nil, sources: Set<String>? = nil,
        tags: Set<String> = [], metadata: [String: String] = [:], cluster: Cluster.ID? = nil
    ) {
        self.ids = ids
        self.idPrefix = idPrefix.map { $0.lowercased() }
        self.sources = sources
        self.tags = tags
        self.metadata = metadata
        self.cluster = cluster
    }

    /// Whether the filter has no conditions.
    public var matchesAll: Bool { self == .all }

    /// Whether a condition depends on more than id, source and cluster, so that the entry must be read.
    var dependsOnContents: Bool {
        !tags.isEmpty || !metadata.isEmpty || !conditions.isEmpty || created != nil || updated != nil
    }

    /// Returns whether entries of a source can match.
    func allows(source: String?) -> Bool {
        guard let sources else { return true }
        guard let source, let index = sources.firstIndex(of: source) else { return false }
        return ExactText.areSame(sources[index], source)
    }

    /// Returns whether an entry matches.
    ///
    /// This is the reference implementation that tests compare the queries of storage providers with.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - assigned: The cluster that the entry is assigned to, if any.
    public func matches(_ entry: Entry, assigned: Cluster.ID?) -> Bool {
        if let ids, !ids.contains(entry.id) { return false }
        if let idPrefix, !entry.id.uuidString.lowercased().hasPrefix(idPrefix) { return false }
        if let cluster, cluster != assigned { return false }
        if let created, !created.milliseconds.contains(entry.createdAt.milliseconds) { return false }
        if let updated, !updated.milliseconds.contains(entry.updatedAt.milliseconds) { return false }
        // Swift's `==` compares after Unicode normalisation; backends compare bytes.
        guard allows(source: entry.source) else { return false }
        guard tags.allSatisfy({ tag in entry.tags.contains { $0.utf8.elementsEqual(tag.utf8) } }) else {
            return false
        }
        guard conditions.allSatisfy({ $0.holds(of: entry) }) else { return false }
        return metadata.allSatisfy { key, text in
            guard let found = entry.metadata.first(where: { $0.key.utf8.elementsEqual(key.utf8) }) else {
                return false
            }
            return found.value.text?.utf8.elementsEqual(text.utf8) == true
        }
    }
}

extension Range<Date> {
    /// The whole milliseconds in the range. Stored dates are whole milliseconds.
    package var milliseconds: Range<Int64> {
        // Both bounds are rounded up: the first whole millisecond in the range is the one at or after its
        // lower bound, and the same holds for the first one after the range.
        func up(_ date: Date) -> Int64 {
            let value = (date.timeIntervalSince1970 * 1000).rounded(.up)
            return Int64(exactly: value) ?? (value < 0 ? .min : .max)
        }
        let start = up(lowerBound)
        return start..<Swift.max(start, up(upperBound))
    }
}
