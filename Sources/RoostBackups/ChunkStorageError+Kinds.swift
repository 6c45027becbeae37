import RoostChunks

extension ChunkStorageError {
    /// Whether the stored bytes are wrong, as opposed to a storage that cannot be reached.
    var isDamage: Bool {
        switch self {
        case .corrupt, .tooLarge: true
        default: false
        }
    }

    /// Whether a write may have failed on a storage that can still be read.
    var isRefusedWrite: Bool {
        switch self {
        case .storageUnavailable, .storageFull, .readOnly: true
        default: false
        }
    }
}
