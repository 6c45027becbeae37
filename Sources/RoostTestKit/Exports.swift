// The modules that `import RoostTestKit` makes available, and the reason for each.

/// The protocols whose laws are tested.
@_exported import RoostChunks
/// The protocols whose laws are tested.
@_exported import RoostConversations
/// The protocols whose laws are tested.
@_exported import RoostModel
