public import Foundation

/// Which entries are meant: all conditions must hold. `EntryFilter.all` has none.
public struct EntryFilter: Sendable, Hashable {
    /// Only these; `nil` for any.
    public var ids: Set<Entry.ID>?
    /// Only entries whose id begins with these digits, in lower case with dashes, as `UUID` prints them.
    public var idPrefix: String? {
        didSet { idPrefix = idPrefix?.lowercased() }
    }
    /// Only entries of one of these sources; `nil` for any.
    public var sources: Set<String>?
    /// Only entries with all of these tags.
    public var tags: Set<String>
    /// Only entries whose metadata has each of these keys with a value of this text (see
    /// `MetadataValue.text`).
    public var metadata: [String: String]
    /// Only members of this cluster.
    public var cluster: Cluster.ID?

    /// What must hold of their values besides.
    public var conditions: [EntryCondition] = []
    /// Only entries that were first made in this span of time, the end of which is not part of it.
    public var created: Range<Date>?
    /// Only entries that were last changed in this span of time, the end of which is not part of it.
    public var updated: Range<Date>?

    public static let all = EntryFilter()

    public init(
        ids: Set<Entry.ID>? = nil, idPrefix: String? = nil, sources: Set<String>? = nil,
        tags: Set<String> = [],
        metadata: [String: String] = [:], cluster: Cluster.ID? = nil
    ) {
        self.ids = ids
        self.idPrefix = idPrefix.map { $0.lowercased() }
        self.sources = sources
        self.tags = tags
        self.metadata = metadata
        self.cluster = cluster
    }

    /// Whether there is no condition.
    public var matchesAll: Bool { self == .all }

    /// Whether there is a condition on more than id, source and cluster.
    var asksForContents: Bool {
        !tags.isEmpty || !metadata.isEmpty || !conditions.isEmpty || created != nil || updated != nil
    }

    /// Whether an entry of this source may meet the conditions.
    func allows(source: String?) -> Bool {
        guard let sources else { return true }
        guard let source, let index = sources.firstIndex(of: source) else { return false }
        return ExactText.areSame(sources[index], source)
    }

    /// The oracle: whether an entry meets the conditions.
    ///
    /// - Parameter assigned: the cluster that the entry is assigned to.
    public func matches(_ entry: Entry, assigned: Cluster.ID?) -> Bool {
        if let ids, !ids.contains(entry.id) { return false }
        if let idPrefix, !entry.id.uuidString.lowercased().hasPrefix(idPrefix) { return false }
        if let cluster, cluster != assigned { return false }
        if let created, !created.milliseconds.contains(entry.createdAt.milliseconds) { return false }
        if let updated, !updated.milliseconds.contains(entry.updatedAt.milliseconds) { return false }
        // By bytes, as a backend compares them: letters that only normalise alike differ.
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
    /// The whole milliseconds that are in it, as dates are kept.
    package var milliseconds: Range<Int64> {
        // A part of a millisecond counts for the next one, at both ends.
        func up(_ date: Date) -> Int64 {
            let value = (date.timeIntervalSince1970 * 1000).rounded(.up)
            return Int64(exactly: value) ?? (value < 0 ? .min : .max)
        }
        let start = up(lowerBound)
        return start..<Swift.max(start, up(upperBound))
    }
}
