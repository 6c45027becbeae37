// The modules that `import RoostBackups` makes available, and the reason for each.

/// The chunk storages in which repositories are kept.
@_exported import RoostChunks
/// Snapshots, storage providers and their errors.
@_exported import RoostModel
