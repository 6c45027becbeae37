public import RoostVectors

/// The entries whose passages a search may find.
public enum PassageScope: Sendable {
    /// The entries that match a filter.
    case matching(EntryFilter)
    /// The entries in the given rows.
    case rows(RowSet)
}
