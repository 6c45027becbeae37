/// The protocols whose laws are tested.
@_exported import RoostChunks
@_exported import RoostConversations
@_exported import RoostModel
