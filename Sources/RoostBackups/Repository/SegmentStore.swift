import Foundation
import RoostChunks
import RoostModel
import Synchronization

/// Read access to the segments of a repository: locates them with the indexes, reads them from packs and
/// verifies their digests.
final class SegmentStore: Sendable {
    private struct PackedSegment: Sendable {
        var pack: SegmentID
        var location: SegmentLocation
    }

    /// A cache of recently read segments. Consecutive new segments are often relative to the same base.
    private struct Recent {
        var data: [SegmentID: Data] = [:]
        var order: [SegmentID] = []
        var bytes = 0
        /// The maximum size of the cache in bytes.
        static let maximumBytes = 16 << 20
    }

    private let segments = Mutex<[SegmentID: PackedSegment]>([:])
    /// The packs that an index lists and that are missing or have a wrong length.
    private let incomplete = Mutex<[PackContents]>([])
    private let recent = Mutex(Recent())
    private let retrieval: any ChunkStorageRetrieval
    let naming: SegmentNaming

    /// Creates a store without segments.
    ///
    /// - Parameter retrieval: The storage that packs are read from, preferably a `CachedRetrieval`.
    init(_ retrieval: any ChunkStorageRetrieval, naming: SegmentNaming) {
        (self.retrieval, self.naming) = (retrieval, naming)
    }

    /// Adds the segments of the given packs.
    ///
    /// If a segment has several copies, one that needs no base is preferred, and then one whose base is in
    /// these packs or was added before: the base of another copy may have been lost.
    func add(_ packs: [PackContents]) {
        segments.withLock { segments in
            for isRelative in [false, true] {
                for pack in packs {
                    for (id, location) in pack.segments
                    where id != .none && (location.base != nil) == isRelative {
                        if let known = segments[id]?.location {
                            guard let base = known.base else { continue }
                            if isRelative, segments[base] != nil { continue }
                        }
                        segments[id] = PackedSegment(pack: pack.name, location: location)
                    }
                }
            }
        }
    }

    /// Adds those segments of the given packs that the store does not have.
    func addMissing(_ packs: [PackContents]) {
        segments.withLock { segments in
            for pack in packs {
                for (id, location) in pack.segments where id != .none && segments[id] == nil {
                    segments[id] = PackedSegment(pack: pack.name, location: location)
                }
            }
        }
    }

    /// Records packs that are missing or have a wrong length.
    func note(incomplete packs: [PackContents]) { incomplete.withLock { $0 += packs } }

    /// The paths of incomplete packs with segments that the store does not have.
    var lostPacks: [String] {
        let packs = incomplete.withLock { $0 }
        return segments.withLock { segments in
            let lost = packs.filter { pack in
                pack.segments.contains { $0.id != .none && segments[$0.id] == nil }
            }
            return Set(lost.map(\.path)).sorted()
        }
    }

    /// Removes relative segments whose base is missing.
    func removeOrphans() {
        segments.withLock { segments in
            let orphans = segments.filter { $0.value.location.base.map { segments[$0] == nil } ?? false }
            for id in orphans.keys { segments[id] = nil }
        }
    }

    /// Returns the location of a segment, or `nil` if the repository does not have it.
    func location(of id: SegmentID) -> SegmentLocation? { segments.withLock { $0[id]?.location } }

    /// Returns the name of the pack that contains a segment.
    func pack(of id: SegmentID) -> SegmentID? { segments.withLock { $0[id]?.pack } }

    /// The names of all segments.
    var ids: [SegmentID] { segments.withLock { Array($0.keys) } }

    /// Returns the bytes of a segment after verifying its digest.
    ///
    /// - Throws: ``BackupError`` with `.damaged`; the errors of the retrieval.
    @concurrent
    func read(_ id: SegmentID, _ kind: SegmentKind) async throws -> Data {
        if location(of: id)?.kind == kind, let data = recent.withLock({ $0.data[id] }) { return data }
        let data = try await read(id, kind, depth: 0)
        recent.withLock { recent in
            guard recent.data.updateValue(data, forKey: id) == nil else { return }
            recent.order.append(id)
            recent.bytes += data.count
            while recent.bytes > Recent.maximumBytes, !recent.order.isEmpty {
                recent.bytes -= recent.data.removeValue(forKey: recent.order.removeFirst())?.count ?? 0
            }
        }
        return data
    }

    /// Returns the stored form of a segment, without decompressing or verifying it.
    ///
    /// - Throws: The same errors as ``read(_:_:)``.
    func stored(_ id: SegmentID) async throws -> Data {
        guard let segment = segments.withLock({ $0[id] }) else {
            throw Self.damaged(id, "no index lists it")
        }
        return try await stored(id, segment)
    }

    private func stored(_ id: SegmentID, _ segment: PackedSegment) async throws -> Data {
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

    private func read(_ id: SegmentID, _ kind: SegmentKind?, depth: Int) async throws -> Data {
        guard let segment = segments.withLock({ $0[id] }), kind == nil || segment.location.kind == kind else {
            throw Self.damaged(id, "no index lists it")
        }
        let location = segment.location
        let stored = try await stored(id, segment)
        let data: Data?
        switch location.form {
        case .plain: data = stored
        case .compressed: data = try ZstdCodec.decompress(stored, size: location.size)
        case .relative:
            // The base of a relative segment is never relative itself. This rule also excludes cycles.
            guard depth == 0, let base = location.base else {
                throw Self.damaged(id, "its base segment is itself stored relative to another segment")
            }
            let prefix = try await read(base, nil, depth: 1)
            data = try ZstdCodec.decompress(stored, size: location.size, prefix: prefix)
        }
        guard let data, naming.id(of: data, location.kind) == id else {
            throw Self.damaged(id, "its digest does not match")
        }
        return data
    }

    private static func damaged(_ id: SegmentID, _ cause: String) -> BackupError {
        BackupError(
            .damaged, "cannot read segment \(id.description.prefix(12)) in the backup: \(cause)",
            remedy: .verifyBackup)
    }
}
