import RoostModel

/// A source whose file has been renamed or moved.
struct SourceMove: Sendable, Hashable {
    /// The id of the source before the move.
    var origin: Source.ID
    /// The id of the source after the move.
    var target: Source.ID
}
