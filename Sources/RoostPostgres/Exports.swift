// The modules that `import RoostPostgres` makes available, and the reason for each.

/// Entries, clusters, filters, snapshots and errors: the vocabulary of every call.
@_exported import RoostModel
