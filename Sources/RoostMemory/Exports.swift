// The modules that `import RoostMemory` makes available, and the reason for each.

/// `KnowledgeStore`, which keeps the messages.
@_exported import Roost

/// Messages, scopes and roles.
@_exported import RoostConversations
