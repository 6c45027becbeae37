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
            "Scripts cannot read the cookie. Requests with it that change or search the store must come from "
            + "the page of this server. It is valid until the token of the server changes.",
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
            "The answer is binary, with little-endian numbers: the length of a JSON object (UInt32), the object "
            + "with the number of entries (`count`), `epoch`, `revision` and the ids of clusters (`clusters`), padded "
            + "to a multiple of four bytes, and then for all entries the ids (16 bytes each), x and y (Float32), and "
            + "the indices of their clusters (UInt32; the maximum for none). Entries keep their positions while "
            + "others are added.",
        answers: [Route.Answer(200, "The map.", content("application/octet-stream"))]
    ) { call in
        let data = try await call.context.operations.handle.use { store in
            try await call.context.map.data(of: try await store.storage.snapshot())
        }
        return Reply(status: .ok, body: .bytes(data, type: "application/octet-stream"))
    }
}

/// The map of the latest revision that was asked for. Its data is kept in a file, because the first layout of a large
/// store takes seconds.
package final class MapCache: Sendable {
    private struct State: Sendable {
        var positions = EntryPositions()
        var stamp: Stamp?
        var data = Data()
    }

    /// Requests wait for the one that computes the positions.
    private let queue = TaskQueue()
    private let state = Mutex(State())
    /// The file; `nil` for a store without a folder.
    private let file: URL?
    private let isReadOnly: Bool

    /// - Parameter directory: The folder of the store, if it has one.
    package init(directory: URL?, isReadOnly: Bool = false) {
        file = directory?.appendingPathComponent("index/map")
        self.isReadOnly = isReadOnly
    }

    /// Returns the map of a snapshot, and keeps the positions of its entries in the file.
    package func data(of snapshot: any StorageSnapshot) async throws -> Data {
        try await queue.run { [self] in
            var current = state.withLock(\.self)
            if current.stamp == snapshot.stamp { return current.data }
            if current.stamp?.epoch != snapshot.stamp.epoch {
                let map = file.flatMap { try? Data(contentsOf: $0, options: .mappedIfSafe) }
                current = State()
                current.positions = EntryPositions(map.map { Self.positions($0, for: snapshot.stamp) } ?? [:])
            }
            let hasChanged = try await current.positions.update(to: snapshot)
            current.data = try await current.positions.data(for: snapshot)
            current.stamp = snapshot.stamp
            // Without the file, the next server computes the positions again.
            if hasChanged, !isReadOnly, let file {
                try? FileSystem.standard.createFolder(file.deletingLastPathComponent())
                try? AtomicFile.write(current.data, to: file)
            }
            state.withLock { [current] in $0 = current }
            return current.data
        }
    }
    private struct Header: Decodable {
        var count: Int
        var epoch: String
    }

    /// Returns the positions in the data of a map; none if it is damaged or describes another history of the store.
    static func positions(_ map: Data, for stamp: Stamp) -> [Entry.ID: SIMD2<Float>] {
        map.withUnsafeBytes { bytes in
            func number(_ offset: Int) -> UInt32 {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            guard bytes.count >= 4, case let start = 4 + Int(number(0)), start <= bytes.count,
                let header = try? JSONDecoder().decode(Header.self, from: Data(bytes[4..<start])),
                case let n = (bytes.count - start) / 28, n == header.count, header.epoch == stamp.epoch.text
            else { return [:] }
            var positions: [Entry.ID: SIMD2<Float>] = [:]
            for index in 0..<n {
                let id = bytes.loadUnaligned(fromByteOffset: start + 16 * index, as: uuid_t.self)
                let axes = [0, n].map { Float(bitPattern: number(start + 16 * n + 4 * ($0 + index))) }
                if axes.allSatisfy(\.isFinite) { positions[UUID(uuid: id)] = SIMD2(axes) }
            }
            return positions
        }
    }
}
