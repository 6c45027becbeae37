import RoostChunks

/// The packs that are stored in a repository, with their sizes if the storage knows them.
struct StoredPacks: Sendable {
    /// The state of a pack that an index lists.
    enum State: Equatable {
        /// The pack is stored with its complete length. Its bytes were not read.
        case complete
        case missing
        /// The pack has this number of bytes, and not the number that the index states.
        case wrongSize(Int)
    }

    private let sizes: [String: Int?]

    init(_ retrieval: any ChunkStorageRetrieval) async throws {
        let chunks = try await retrieval.chunks(in: RepositoryObject.packs)
        sizes = Dictionary(chunks.map { ($0.path, $0.size) }) { first, _ in first }
    }

    /// The paths of all stored packs.
    var paths: Set<String> { Set(sizes.keys) }

    /// Returns the state of a pack.
    func state(of pack: PackContents) -> State {
        guard let stored = sizes[pack.path] else { return .missing }
        guard let size = stored, size != pack.storedSize else { return .complete }
        return .wrongSize(size)
    }
}
