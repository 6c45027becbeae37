import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The location of a segment in its pack. The stored bytes are a Zstandard frame (RFC 8878) if they are fewer
/// than those of the segment; otherwise, they are those of the segment.
struct SegmentLocation: Sendable, Hashable {
    /// The maximum size of a segment in bytes. An index with a larger value is corrupt.
    static let maximumSize = 1 << 30

    var kind: SegmentKind
    var offset: Int
    var storedSize: Int
    var size: Int
}

/// The segments of one pack, in the order of their offsets.
struct PackContents: Sendable {
    var name: SegmentID
    var segments: [(id: SegmentID, location: SegmentLocation)]

    var path: String { RepositoryObject.pack(name.description) }

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
    private let sizes: [String: Int?]

    init(_ retrieval: any ChunkStorageRetrieval) async throws {
        let chunks = try await retrieval.chunks(in: RepositoryObject.packs)
        sizes = Dictionary(chunks.map { ($0.path, $0.size) }) { first, _ in first }
    }

    var paths: Set<String> { Set(sizes.keys) }

    /// Returns the fault of a pack; `nil` if it is stored with its complete length. Its bytes are not read.
    func problem(of pack: PackContents) -> String? {
        guard let stored = sizes[pack.path] else { return "the pack is missing" }
        guard let size = stored, size != pack.storedSize else { return nil }
        return "the pack has \(size) bytes instead of \(pack.storedSize)"
    }
}

/// The encoding of an index object, which lists the segments of packs. Sizes are in bytes:
///
///     "RBI1" 4 · size of the uncompressed remainder 4 · remainder, compressed with Zstandard:
///     number of packs 4 · for each pack: name 32 · number of segments 4 · for each segment:
///     id 32 · kind 1 · stored size 4 · size 4
enum PackIndexCodec {
    private static let magic = Data("RBI1".utf8)
    private static let maximumSize = 1 << 30
    private static let minimumPackSize = SegmentID.size + 4
    private static let minimumSegmentSize = SegmentID.size + 9

    static func encode(_ packs: [PackContents]) throws -> Data {
        var writer = BinaryWriter()
        writer.write(UInt32(packs.count))
        for pack in packs {
            writer.write(raw: pack.name.bytes)
            writer.write(UInt32(pack.segments.count))
            for (id, location) in pack.segments {
                writer.write(raw: id.bytes)
                writer.write(location.kind.rawValue)
                writer.write(UInt32(location.storedSize))
                writer.write(UInt32(location.size))
            }
        }
        let bytes = Data(writer.bytes)
        var header = BinaryWriter()
        header.write(raw: magic)
        header.write(UInt32(bytes.count))
        // An index that compression does not make smaller, such as an empty one, is stored uncompressed.
        return Data(header.bytes) + (try CompressionAlgorithm.zstd.compress(bytes) ?? bytes)
    }

    static func decode(_ data: Data) throws -> [PackContents] {
        guard data.count >= 8, data.prefix(4) == magic else { throw BinaryReader.InvalidData() }
        let size = data.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        }
        let body = Data(data.dropFirst(8))
        guard size <= maximumSize,
            let bytes = body.count == size ? body : CompressionAlgorithm.zstd.decompress(body, size: size)
        else { throw BinaryReader.InvalidData() }
        return try EntryCodec.reading(bytes) { reader throws(BinaryReader.InvalidData) in
            var packs: [PackContents] = []
            for _ in 0..<(try reader.count(ofAtLeast: minimumPackSize)) {
                let name = SegmentID(try reader.take(SegmentID.size))
                var segments: [(SegmentID, SegmentLocation)] = []
                var offset = 0
                for _ in 0..<(try reader.count(ofAtLeast: minimumSegmentSize)) {
                    let id = SegmentID(try reader.take(SegmentID.size))
                    guard let kind = SegmentKind(rawValue: try reader.read()) else {
                        throw BinaryReader.InvalidData()
                    }
                    let (stored, size) = (try reader.read(UInt32.self), try reader.read(UInt32.self))
                    guard max(Int(stored), Int(size)) <= SegmentLocation.maximumSize else {
                        throw BinaryReader.InvalidData()
                    }
                    let location = SegmentLocation(
                        kind: kind, offset: offset, storedSize: Int(stored), size: Int(size))
                    segments.append((id, location))
                    offset += Int(stored)
                }
                packs.append(PackContents(name: name, segments: segments))
            }
            guard reader.remaining == 0 else { throw BinaryReader.InvalidData() }
            return packs
        }
    }
}

/// Calls a function, and `cleanUp` after it has returned or thrown an error.
func perform<Value>(
    _ body: () async throws -> Value, cleanUp: () async -> Void
) async throws -> Value {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await cleanUp()
    return try result.get()
}

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
    static func with<Value>(
        _ retrieval: any ChunkStorageRetrieval, _ store: SegmentStore,
        _ body: (PackWriter) async throws -> Value
    ) async throws -> Value {
        let writer = PackWriter(retrieval, store)
        return try await perform({ try await body(writer) }, cleanUp: { await writer.stop() })
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

/// Read access to the segments of a repository: locates them with the indexes, reads them from packs and
/// verifies their digests.
final class SegmentStore: Sendable {
    private struct PackedSegment: Sendable {
        var pack: SegmentID
        var location: SegmentLocation
    }

    private let segments = Mutex<[SegmentID: PackedSegment]>([:])
    private let retrieval: any ChunkStorageRetrieval
    let naming: SegmentNaming

    /// - Parameter retrieval: The storage that packs are read from, preferably a `CachedRetrieval`.
    init(_ retrieval: any ChunkStorageRetrieval, naming: SegmentNaming) {
        (self.retrieval, self.naming) = (retrieval, naming)
    }

    func add(_ packs: [PackContents]) {
        segments.withLock { segments in
            for pack in packs {
                for (id, location) in pack.segments where segments[id] == nil {
                    segments[id] = PackedSegment(pack: pack.name, location: location)
                }
            }
        }
    }

    func location(of id: SegmentID) -> SegmentLocation? { segments.withLock { $0[id]?.location } }

    func pack(of id: SegmentID) -> SegmentID? { segments.withLock { $0[id]?.pack } }

    var ids: [SegmentID] { segments.withLock { Array($0.keys) } }

    /// Returns the bytes of a segment after verifying its digest.
    @concurrent
    func read(_ id: SegmentID, _ kind: SegmentKind) async throws -> Data {
        let stored = try await stored(id)
        guard let location = location(of: id), location.kind == kind else {
            throw Self.damaged(id, "no index lists it")
        }
        let data =
            location.storedSize == location.size
            ? stored : CompressionAlgorithm.zstd.decompress(stored, size: location.size)
        guard let data, naming.id(of: data, kind) == id else {
            throw Self.damaged(id, "its digest does not match")
        }
        return data
    }

    /// Returns the stored form of a segment, without decompressing or verifying it.
    func stored(_ id: SegmentID) async throws -> Data {
        guard let segment = segments.withLock({ $0[id] }) else {
            throw Self.damaged(id, "no index lists it")
        }
        let path = RepositoryObject.pack(segment.pack.description)
        guard let pack = try await retrieval.readChunk(at: path) else {
            throw Self.damaged(id, "its pack \(path) is missing")
        }
        let location = segment.location
        guard location.offset + location.storedSize <= pack.count else {
            throw Self.damaged(id, "its pack \(path) is truncated")
        }
        let start = pack.startIndex + location.offset
        return Data(pack[start..<start + location.storedSize])
    }

    private static func damaged(_ id: SegmentID, _ cause: String) -> BackupError {
        BackupError(
            .damaged, "cannot read segment \(id.description.prefix(12)) in the backup: \(cause)",
            remedy: .verifyBackup)
    }
}
