package import Foundation
import HTTPTypes
import Roost
import RoostFiles
package import RoostModel
import Synchronization

/// The page in the browser. It uses the operations of the API like any other client; only the positions on its map have
/// a route of their own.
enum PageRoutes {
    private static let tag = "Page"

    static let all = [start, file, session, map]

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

    private static func reply(_ file: PageFiles.File) -> Reply {
        Reply(status: .ok, body: .bytes(file.data, type: file.type))
            .with("Content-Security-Policy", policy).with("Referrer-Policy", "no-referrer")
    }

    private static func content(_ type: String) -> Route.Body {
        Route.Body(mediaType: type, schema: Schema.string("The content."))
    }

    private static let start = Route(
        method: .get, path: "/", operation: "getPage", tag: tag, summary: "Show the store in the browser.",
        needsToken: false, answers: [Route.Answer(200, "The page.", content("text/html"))]
    ) { _ in reply(PageFiles.named("page.html")) }

    private static let file: Route = {
        var answer = Route.Answer(200, "The file.", content("text/javascript"))
        answer.alternatives = [content("text/css"), content("text/html")]
        return Route(
            method: .get, path: "/page/{name}", operation: "getPageFile", tag: tag,
            summary: "Return a file of the page.", needsToken: false,
            parameters: [.path("name", Schema.string("The name of the file.", minimum: 1, maximum: 100))],
            answers: [answer]
        ) { call in
            guard let file = PageFiles.all.first(where: { $0.name == call.string("name") }) else {
                throw Problem.notFound("the page has no such file")
            }
            return reply(file)
        }
    }()

    private static let session = Route(
        method: .post, path: "/session", operation: "createSession", tag: tag,
        summary: "Exchange the token for a cookie, with which the page sends its requests.",
        details:
            "Scripts cannot read it. Changes and searches with it must come from the page. A new token ends it.",
        answers: [Route.Answer(204, "The cookie.", headers: ["Set-Cookie": "The session."])]
    ) { call in
        guard let session = call.context.session else { return .empty() }
        return .empty().with(
            "Set-Cookie", "\(RequestGuard.cookieName)=\(session.text); HttpOnly; SameSite=Strict; Path=/")
    }

    private static let map = Route(
        method: .get, path: "/api/v1/map", operation: "getMap", tag: tag,
        summary: "Return the positions of all entries on a map, and their clusters.",
        details:
            "The answer has little-endian numbers: the length of a JSON object (UInt32), the object with the number of "
            + "entries (`count`), `epoch`, `revision` and the ids of clusters (`clusters`), padded to a multiple of "
            + "four bytes, and for all entries the ids (16 bytes each), x and y (Float32), and the indices of their "
            + "clusters (UInt32; the maximum for none). Entries keep their positions while others are added.",
        answers: [Route.Answer(200, "The map.", content("application/octet-stream"))]
    ) { call in
        let data = try await call.context.operations.handle.use { store in
            try await call.context.map.data(of: try await store.storage.snapshot())
        }
        return Reply(status: .ok, body: .bytes(data, type: "application/octet-stream"))
    }
}

/// The map of the latest revision that was asked for. It is also kept in a file, with a checksum, because the layout
/// of a large store takes seconds, and so does reading its ids and clusters.
package final class MapCache: Sendable {
    /// Requests wait for the one that computes the positions.
    private let queue = TaskQueue()
    /// The positions of the latest update include those of removed entries, which an undo restores.
    private let latest = Mutex<(stamp: Stamp, data: Data, positions: EntryPositions?)?>(nil)
    /// The file; `nil` for a store without a folder.
    private let file: URL?
    private let isReadOnly: Bool

    /// - Parameter directory: The folder of the store, if it has one.
    package init(directory: URL?, isReadOnly: Bool = false) {
        file = directory?.appendingPathComponent("index/map")
        self.isReadOnly = isReadOnly
    }

    /// Returns the map of a snapshot, in which the entries of the map before keep their positions.
    package func data(of snapshot: any StorageSnapshot) async throws -> Data {
        try await queue.run { [self] in
            let stamp = snapshot.stamp
            let map = latest.withLock(\.self)
            if let map, map.stamp == stamp { return map.data }
            var (data, positions) = (map?.data ?? saved() ?? Data(), map?.positions)
            let header = MapHeader(of: data).flatMap { $0.epoch == stamp.epoch.text ? $0 : nil }
            if header?.revision != Int(stamp.revision.rawValue) {
                var updated = header.map { positions ?? .init(Self.positions(data, $0.count)) } ?? .init()
                try await updated.update(to: snapshot)
                data = try await updated.data(for: snapshot)
                positions = updated
                save(data)
            }
            latest.withLock { [data, positions] in $0 = (stamp, data, positions) }
            return data
        }
    }

    /// Returns the map in the file; `nil` if the file is missing or damaged.
    private func saved() -> Data? {
        guard let file, let content = try? Data(contentsOf: file, options: .mappedIfSafe), content.count > 4
        else { return nil }
        let data = content.dropLast(4)
        return content.suffix(4).elementsEqual(Self.checksum(data)) ? data : nil
    }

    /// Without the file, the next server computes the map again.
    private func save(_ data: Data) {
        guard !isReadOnly, let file else { return }
        try? FileSystem.standard.createFolder(file.deletingLastPathComponent())
        try? AtomicFile.write(data + Self.checksum(data), to: file)
    }

    package static func checksum(_ data: Data) -> [UInt8] {
        withUnsafeBytes(of: data.withUnsafeBytes { CRC32C.checksum($0) }.littleEndian, Array.init)
    }

    private static func positions(_ map: Data, _ n: Int) -> [Entry.ID: SIMD2<Float>] {
        map.withUnsafeBytes { bytes in
            let start = bytes.count - 28 * n
            func number(_ index: Int) -> Float {
                let bits = bytes.loadUnaligned(fromByteOffset: start + 16 * n + 4 * index, as: UInt32.self)
                return Float(bitPattern: UInt32(littleEndian: bits))
            }
            let places = (0..<n).map { index in
                let id = bytes.loadUnaligned(fromByteOffset: start + 16 * index, as: uuid_t.self)
                return (UUID(uuid: id), SIMD2(number(index), number(n + index)))
            }
            return Dictionary(places) { first, _ in first }
        }
    }
}

extension MapHeader {
    /// Reads the header of a map; `nil` if it is not one.
    fileprivate init?(of map: Data) {
        let start = 4 + map.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard start <= map.count, let header = try? JSONDecoder().decode(Self.self, from: map[4..<start]),
            header.count == (map.count - start) / 28
        else { return nil }
        self = header
    }
}
