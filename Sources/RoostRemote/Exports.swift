// The modules that `import RoostRemote` makes available, and the reason for each.

/// The protocol that `S3Retrieval` implements.
@_exported import RoostChunks
/// The protocols that the remote embedder and labeler implement, and their errors.
@_exported import RoostModel
