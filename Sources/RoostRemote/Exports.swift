// The modules that `import RoostRemote` makes available, and the reason for each.

/// The protocols that `S3Retrieval` and `S3Existence` implement.
@_exported import RoostChunks

/// The protocols that the remote embedder and labeler implement, and their errors.
@_exported import RoostModel
