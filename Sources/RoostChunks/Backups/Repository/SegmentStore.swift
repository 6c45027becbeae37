import Foundation
import RoostModel
import Synchronization

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

    /// Adds those segments of the given packs that the store does not have.
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
            switch location.form {
            case .plain: stored
            case .compressed: ZstdCodec.decompress(stored, size: location.size)
            }
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
