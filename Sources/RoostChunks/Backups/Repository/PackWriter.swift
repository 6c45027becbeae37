import Foundation

actor PackWriter {
    private let retrieval: any ChunkStorageRetrieval
    private let store: SegmentStore
    private var segments: [(id: SegmentID, location: SegmentLocation)] = []
    private var bytes = Data()
    /// New segments that a caller has claimed and will add.
    private var claimed = Set<SegmentID>()
    /// The writes in progress, one per pack, in the order in which they began.
    private var writing: [Task<Void, any Error>] = []
    /// The error of the first write that failed. Later calls throw it, so that no backup is completed without
    /// the pack.
    private var failure: (any Error)?
    private(set) var packs: [PackContents] = []
    private(set) var writtenBytes = 0

    /// The size in bytes at which a pack is written. Larger packs mean fewer objects, but more data has to be
    /// read to get one segment.
    static let packSize = 8 << 20
    /// The maximum number of concurrent writes. Each pack is in memory until it is written.
    private static let maximumConcurrentWrites = 2

    private init(_ retrieval: any ChunkStorageRetrieval, _ store: SegmentStore) {
        (self.retrieval, self.store) = (retrieval, store)
    }

    /// Runs an operation that writes packs.
    ///
    /// When this call returns or throws, no write is in progress any more, so the caller can release the lock
    /// on the repository. Writes that `body` did not wait for are canceled.
    ///
    /// - Parameters:
    ///   - store: The segments that the repository has; those that are written are added.
    ///   - body: The operation. It calls ``finish()`` at its end.
    static func with<Value>(
        _ retrieval: any ChunkStorageRetrieval, _ store: SegmentStore,
        _ body: (PackWriter) async throws -> Value
    ) async throws -> Value {
        let writer = PackWriter(retrieval, store)
        do {
            let value = try await body(writer)
            await writer.stop()
            return value
        } catch {
            await writer.stop()
            throw error
        }
    }

    /// Returns whether the caller must add a segment: it is not in the repository, and no other caller has
    /// claimed it.
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
        if bytes.count >= Self.packSize { try await startWrite() }
    }

    /// Writes the last pack and waits for all writes. After that, the repository and the segment store
    /// contain all segments that were added.
    func finish() async throws {
        if let failure { throw failure }
        try await startWrite()
        while !writing.isEmpty { try await waitForFirstWrite() }
    }

    /// Cancels the writes in progress and waits until they have ended, even if the current task has been
    /// canceled.
    private func stop() async {
        for task in writing { task.cancel() }
        while !writing.isEmpty { _ = await writing.removeFirst().result }
    }

    private func waitForFirstWrite() async throws {
        let task = writing.removeFirst()
        do {
            // The write is a separate task, so a cancellation of the current task is passed to it.
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    private func startWrite() async throws {
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
        while writing.count > Self.maximumConcurrentWrites { try await waitForFirstWrite() }
    }
}
