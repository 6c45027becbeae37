// The modules that `import RoostIndexes` makes available, and the reason for each.

/// `Matrix`, `RowSet` and `Neighbor`, which the calls of an index take and return.
@_exported import RoostVectors
