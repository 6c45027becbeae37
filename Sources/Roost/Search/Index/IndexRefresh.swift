/// The outcome of ``KnowledgeStore/refreshIndex(minimumEntries:maximumGraphPassages:)``.
public enum IndexRefresh: Sendable, Hashable {
    /// The index is recent enough, or the store does not need one.
    case current
    /// The index was built.
    case written
    /// The index was built without a graph, because building a graph over this number of passages would take
    /// too long.
    case writtenWithoutGraph(passages: Int)
    /// The index is outdated by this number of changed entries, but rebuilding it would take too long.
    case due(changes: Int)
}
