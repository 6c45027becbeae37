import RoostChunks

extension ChunkStorageError {
    /// Whether the error means that the stored bytes are corrupt, as opposed to the storage being
    /// unreachable.
    var isDamage: Bool {
        switch self {
        case .corrupt, .tooLarge: true
        default: false
        }
    }

    /// Whether the error may come from a failed write to a storage that can still be read.
    var isRefusedWrite: Bool {
        switch self {
        case .storageUnavailable, .storageFull, .readOnly: true
        default: false
        }
    }
}
