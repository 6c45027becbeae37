// The modules that `import RoostDocuments` makes available, and the reason for each.

/// Metadata values and locations, which documents contain.
@_exported import RoostModel
