/// A property by which entries are grouped and counted (``KnowledgeStore/counts(by:matching:)``).
///
/// The days, weeks, months and years are those in which entries were created, in the time zone of the user.
public enum EntryProperty: Sendable, Hashable {
    /// Each tag of an entry. Spellings that differ only in case are one tag.
    case tag
    /// The label of the entry's cluster.
    case cluster
    /// The id of the entry's source.
    case source
    /// The path of the folder that contains the entry's file.
    case folder
    /// A day, such as `2026-01-31`.
    case day
    /// A week of ISO 8601, such as `2026-W05`.
    case week
    /// A month, such as `2026-01`.
    case month
    /// A year, such as `2026`.
    case year
    /// The value of a metadata key, or each element of an array.
    case metadata(String)

    /// The prefix of a name that is a metadata key in any case.
    private static let metadataPrefix = "metadata."
    private static let named: [String: EntryProperty] = [
        "tag": .tag, "tags": .tag, "cluster": .cluster, "source": .source, "folder": .folder, "day": .day,
        "week": .week, "month": .month, "year": .year,
    ]
    /// The names of all properties except metadata keys. `tags` is another name of `tag`, as in a condition.
    package static let names = ["tag", "cluster", "source", "folder", "day", "week", "month", "year"]
    /// The name of the number of entries in lists, which no property has.
    private static let countName = "count"

    /// Creates the property with a name: `tag` or `tags`, `cluster`, `source`, `folder`, `day`, `week`,
    /// `month`, `year`, or else a metadata key. `metadata.year` is always the key `year`.
    ///
    /// - Returns: `nil` if the name is empty.
    public init?(_ name: String) {
        let isKey = name.hasPrefix(Self.metadataPrefix)
        let key = isKey ? String(name.dropFirst(Self.metadataPrefix.count)) : name
        guard !key.isEmpty else { return nil }
        self = Self.named[name] ?? .metadata(key)
    }

    /// The name, from which the property can be created.
    public var name: String {
        guard case .metadata(let key) = self else {
            return Self.names.first { Self.named[$0] == self } ?? ""
        }
        let isPlain =
            Self.named[key] == nil && key != Self.countName && !key.hasPrefix(Self.metadataPrefix)
        return isPlain ? key : Self.metadataPrefix + key
    }

    /// Whether the values are periods of time, which are listed in their order.
    public var isPeriod: Bool { [.day, .week, .month, .year].contains(self) }

    /// Whether the value depends on more than the header and the cluster of an entry.
    var needsContents: Bool {
        switch self {
        case .tag, .metadata: true
        default: false
        }
    }
}
