/// The location and the stored form of a segment within a pack.
struct SegmentLocation: Sendable, Hashable {
    /// The encoding of the stored bytes. The raw values are part of the on-disk format.
    enum Form: UInt8, Sendable {
        /// The bytes of the segment.
        case plain = 0
        /// A Zstandard frame (RFC 8878).
        case compressed = 1
    }

    /// The maximum size of a segment in bytes. An index with a larger value is corrupt.
    static let maximumSize = 1 << 30

    var kind: SegmentKind
    var form: Form
    /// The offset in the pack, in bytes.
    var offset: Int
    var storedSize: Int
    /// The size of the segment itself in bytes.
    var size: Int
}

/// The segments of one pack, in the order of their offsets.
struct PackContents: Sendable {
    var name: SegmentID
    var segments: [(id: SegmentID, location: SegmentLocation)]

    var path: String { RepositoryObject.pack(name.description) }

    /// The size of the pack in bytes.
    var storedSize: Int { segments.reduce(0) { $0 + $1.location.storedSize } }
}

extension [PackContents] {
    /// Returns each pack once: after an interrupted prune, several indexes can list the same pack.
    func uniqued() -> [PackContents] {
        var names = Set<SegmentID>()
        return filter { names.insert($0.name).inserted }
    }
}

/// The packs that are stored in a repository, with their sizes if the storage knows them.
struct StoredPacks: Sendable {
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

    var paths: Set<String> { Set(sizes.keys) }

    func state(of pack: PackContents) -> State {
        guard let stored = sizes[pack.path] else { return .missing }
        guard let size = stored, size != pack.storedSize else { return .complete }
        return .wrongSize(size)
    }
}
