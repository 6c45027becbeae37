import Foundation
import RoostChunks

/// Gathers segments into packs and writes those.
actor PackWriter {
    private let retrieval: any ChunkStorageRetrieval
    private let store: SegmentStore
    private var segments: [(id: SegmentID, location: SegmentLocation)] = []
    private var bytes = Data()
    private var claimed = Set<SegmentID>()
    private var writing: [Task<Void, any Error>] = []
    /// The first pack that could not be written: nothing that comes after may seem whole.
    private var failure: (any Error)?
    /// All that was written, for the index.
    private(set) var packs: [PackContents] = []
    private(set) var writtenBytes = 0

    /// A pack is written when it has so many bytes: few objects, and not much to be read for one segment.
    static let packSize = 8 << 20
    private static let mostWriting = 2

    init(_ retrieval: any ChunkStorageRetrieval, _ store: SegmentStore) {
        (self.retrieval, self.store) = (retrieval, store)
    }

    /// Whether a segment is still to be added: of several who ask for one, the first is told so.
    func claim(_ id: SegmentID) -> Bool {
        guard store.location(of: id) == nil else { return false }
        return claimed.insert(id).inserted
    }

    func add(_ id: SegmentID, _ location: SegmentLocation, _ stored: Data) async throws {
        if let failure { throw failure }
        var location = location
        location.offset = bytes.count
        segments.append((id, location))
        bytes += stored
        if bytes.count >= Self.packSize { try await seal() }
    }

    /// Writes what is left. All that was added is there after that, and known to the store.
    func finish() async throws {
        if let failure { throw failure }
        try await seal()
        while !writing.isEmpty { try await awaitFirst() }
    }

    private func awaitFirst() async throws {
        let task = writing.removeFirst()
        do {
            try await task.value
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    private func seal() async throws {
        guard !segments.isEmpty else { return }
        let (data, contents) = (bytes, segments)
        (bytes, segments) = (Data(), [])
        let pack = PackContents(
            name: SegmentID(hexadecimal: store.naming.name(of: data)) ?? .none, segments: contents)
        packs.append(pack)
        writtenBytes += data.count
        let path = RepositoryObject.pack(pack.name.description)
        let (retrieval, store) = (retrieval, store)
        writing.append(
            Task {
                try await retrieval.writeChunk(data, at: path, metadata: nil)
                store.add([pack])
            })
        while writing.count > Self.mostWriting { try await awaitFirst() }
    }
}
