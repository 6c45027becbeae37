public import RoostModel

/// Sources whose files no longer exist, and their entries.
public struct VanishedSources: Sendable, Hashable {
    /// The ids of the sources.
    public var sources: [Source.ID] = []
    /// The ids of the sources' entries.
    public var entries: [Entry.ID] = []
}
