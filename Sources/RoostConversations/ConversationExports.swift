// The modules that `import RoostConversations` makes available, and the reason for each.

/// `KnowledgeStore`, which keeps conversations as entries, and the errors that all storages throw.
@_exported import Roost
