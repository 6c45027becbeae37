import Foundation
import RoostChunks
import Synchronization

/// The segments of a repository: found by the index, read out of packs, compared with their names.
final class SegmentStore: Sendable {
    private struct Place: Sendable {
        var pack: SegmentID
        var location: SegmentLocation
    }

    /// The last segments that were read: what is new of a run is often written relative to them.
    private struct Recent {
        var data: [SegmentID: Data] = [:]
        var order: [SegmentID] = []
        var bytes = 0
        static let most = 16 << 20
    }

    private let places = Mutex<[SegmentID: Place]>([:])
    private let recent = Mutex(Recent())
    private let retrieval: any ChunkStorageRetrieval
    let naming: SegmentNaming

    /// - Parameter retrieval: gives packs; best one that keeps the last ones in memory.
    init(_ retrieval: any ChunkStorageRetrieval, naming: SegmentNaming) {
        (self.retrieval, self.naming) = (retrieval, naming)
    }

    func add(_ packs: [PackContents]) {
        places.withLock { places in
            for pack in packs {
                for (id, location) in pack.segments where id != .none {
                    // One that stands by itself is better than one that needs another.
                    if let known = places[id], known.location.base == nil { continue }
                    places[id] = Place(pack: pack.name, location: location)
                }
            }
        }
    }

    /// Forgets what is relative to something that is not there.
    func removeOrphans() {
        places.withLock { places in
            let orphans = places.filter { $0.value.location.base.map { places[$0] == nil } ?? false }
            for id in orphans.keys { places[id] = nil }
        }
    }

    func location(of id: SegmentID) -> SegmentLocation? { places.withLock { $0[id]?.location } }

    func pack(of id: SegmentID) -> SegmentID? { places.withLock { $0[id]?.pack } }

    var ids: [SegmentID] { places.withLock { Array($0.keys) } }

    /// The bytes of a segment, compared with its name.
    ///
    /// - Throws: ``BackupError`` with `.damaged`; what the retrieval throws.
    @concurrent
    func read(_ id: SegmentID, _ kind: SegmentKind) async throws -> Data {
        if location(of: id)?.kind == kind, let data = recent.withLock({ $0.data[id] }) { return data }
        let data = try await read(id, kind, depth: 0)
        recent.withLock { recent in
            guard recent.data.updateValue(data, forKey: id) == nil else { return }
            recent.order.append(id)
            recent.bytes += data.count
            while recent.bytes > Recent.most, !recent.order.isEmpty {
                recent.bytes -= recent.data.removeValue(forKey: recent.order.removeFirst())?.count ?? 0
            }
        }
        return data
    }

    /// The bytes of a segment as they lie in its pack.
    ///
    /// - Throws: as ``read(_:_:)``.
    func stored(_ id: SegmentID) async throws -> Data {
        guard let place = places.withLock({ $0[id] }) else { throw Self.damaged(id, "no index knows it") }
        return try await stored(id, place)
    }

    private func stored(_ id: SegmentID, _ place: Place) async throws -> Data {
        let path = RepositoryObject.pack(place.pack.description)
        guard let pack = try await retrieval.readChunk(at: path) else {
            throw Self.damaged(id, "its pack \(path) is missing")
        }
        let location = place.location
        guard location.offset + location.storedSize <= pack.count else {
            throw Self.damaged(id, "its pack \(path) is too short")
        }
        let start = pack.startIndex + location.offset
        return Data(pack[start..<start + location.storedSize])
    }

    private func read(_ id: SegmentID, _ kind: SegmentKind?, depth: Int) async throws -> Data {
        guard let place = places.withLock({ $0[id] }), kind == nil || place.location.kind == kind else {
            throw Self.damaged(id, "no index knows it")
        }
        let location = place.location
        let stored = try await stored(id, place)
        let data: Data?
        switch location.form {
        case .plain: data = stored
        case .compressed: data = try ZstdCodec.decompress(stored, size: location.size)
        case .relative:
            // What others are relative to stands by itself.
            guard depth == 0, let base = location.base else { throw Self.damaged(id, "it leads in a circle") }
            let prefix = try await read(base, nil, depth: 1)
            data = try ZstdCodec.decompress(stored, size: location.size, prefix: prefix)
        }
        guard let data, naming.id(of: data, location.kind) == id else {
            throw Self.damaged(id, "the bytes in its pack are others")
        }
        return data
    }

    private static func damaged(_ id: SegmentID, _ why: String) -> BackupError {
        BackupError(.damaged, "segment \(id.description.prefix(12)) of the backup cannot be read: \(why)")
    }
}
