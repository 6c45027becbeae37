// The modules that `import RoostConversations` makes available, and the reason for each.

/// `StorageError`, which all storages throw.
@_exported import RoostModel
