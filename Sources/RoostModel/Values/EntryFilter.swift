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
        // By bytes, as a backend compares them: letters that only normalise alike differ.
        guard allows(source: entry.source) else { return false }
        guard tags.allSatisfy({ tag in entry.tags.contains { $0.utf8.elementsEqual(tag.utf8) } }) else {
            return false
        }
        return metadata.allSatisfy { key, text in
            guard let found = entry.metadata.first(where: { $0.key.utf8.elementsEqual(key.utf8) }) else {
                return false
            }
            return found.value.text?.utf8.elementsEqual(text.utf8) == true
        }
    }
}
