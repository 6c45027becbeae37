// The modules that `import RoostChunks` makes available, and the reason for each.

/// Snapshots, storage providers and their errors, which backups use.
@_exported import RoostModel
