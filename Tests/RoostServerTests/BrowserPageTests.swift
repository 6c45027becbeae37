import Foundation
import NIOHTTP1
import Roost
import RoostModel
import Synchronization
import TestSupport
import Testing

@testable import RoostServer

/// Tests of the routes that the page in the browser uses in addition to the operations.
struct BrowserPageTests {
    private static let anonymous = ["Authorization": ""]

    private func cookie(_ harness: HTTPHarness) async throws -> String {
        let answer = try await harness.send(.POST, "/session")
        #expect(answer.status == 204)
        let field = try #require(answer.headers["Set-Cookie"].first)
        #expect(field.hasSuffix("; HttpOnly; SameSite=Strict; Path=/") && !field.contains(HTTPHarness.token))
        return String(field.prefix { $0 != ";" })
    }

    @Test func `the page and its files load nothing from elsewhere`() async throws {
        try await HTTPHarness.run { harness in
            let page = try await harness.send(.GET, "/", nil, Self.anonymous)
            #expect(page.status == 200 && page.headers["Content-Type"] == ["text/html; charset=utf-8"])
            for file in PageFiles.all {
                let answer = try await harness.send(.GET, "/page/\(file.name)", nil, Self.anonymous)
                #expect(
                    answer.status == 200 && answer.body == file.data
                        && answer.headers["Content-Type"] == [file.type])
                let policy = answer.headers["Content-Security-Policy"].first ?? ""
                #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe"))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(policy == page.headers["Content-Security-Policy"].first)
            }
            let names = PageFiles.all.map(\.name)
            #expect(names.first == "page.html" && names.last == "main.js")
            for name in ["none.js", "..%2Fmain.js", "%00"] {
                let answer = try await harness.send(.GET, "/page/\(name)", nil, Self.anonymous)
                #expect(answer.status == 404)
            }
        }
    }

    @Test func `the modules of the page have different names at their top level`() {
        // The exported page contains all of them in one script.
        let declaration = /(?m)^(?:export )?(?:async )?(?:const|let|function|class) (\w+)/
        var names = Set<Substring>()
        for file in PageFiles.all where file.name.hasSuffix(".js") {
            for match in String(decoding: file.data, as: UTF8.self).matches(of: declaration) {
                #expect(names.insert(match.1).inserted, "\(file.name): \(match.1)")
            }
        }
        #expect(names.count > 100)
    }

    @Test func `a token is exchanged for a cookie, which only the page of the server can use`() async throws {
        try await HTTPHarness.run { harness in
            #expect(try await harness.send(.POST, "/session", nil, Self.anonymous).status == 401)
            let cookie = try await cookie(harness)
            func status(_ headers: [String: String]) async throws -> [Int] {
                let headers = Self.anonymous.merging(headers) { $1 }
                return [
                    try await harness.send(.GET, "/api/v1/status", nil, headers).status,
                    try await harness.send(.POST, "/api/v1/entries", ["text": "a note"], headers).status,
                ]
            }
            let own = "http://127.0.0.1:\(harness.port)"
            #expect(try await status(["Cookie": cookie, "Origin": own]) == [200, 201])
            #expect(try await status(["Cookie": "a=b; \(cookie)"]) == [200, 403])
            #expect(try await status(["Cookie": cookie, "Origin": "http://localhost:3000"]) == [200, 403])
            #expect(try await status(["Cookie": cookie, "Origin": "http://example.com"]) == [403, 403])
            #expect(
                try await status(["Cookie": "roost-session=\(HTTPHarness.token)", "Origin": own]) == [
                    401, 401,
                ])
            #expect(try await status(["Cookie": "roost-session=", "Origin": own]) == [401, 401])
            // A wrong token is an error even with the cookie.
            #expect(
                try await status(["Cookie": cookie, "Origin": own, "Authorization": "Bearer x"]) == [
                    401, 401,
                ])
        }
    }

    @Test func `the page may be reached by another name`() async throws {
        let settings = HTTPHarness.settings { $0.allowedHosts = ["notes.example.com"] }
        try await HTTPHarness.run(settings) { harness in
            let headers = [
                "Authorization": "", "Cookie": try await cookie(harness), "Host": "notes.example.com",
                "Origin": "https://notes.example.com",
            ]
            #expect(try await harness.send(.POST, "/api/v1/search", ["query": "boat"], headers).status == 200)
        }
    }

    private struct Map {
        var header: JSONValue
        var places: [UUID: [Float]] = [:]
        var clusters: [UUID: UInt32] = [:]

        init(_ data: Data) throws {
            let bytes = [UInt8](data)
            func number(_ offset: Int) -> UInt32 {
                (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * $1) }
            }
            let length = Int(number(0))
            header = try JSONValue(json: Data(bytes[4..<4 + length]))
            let n = header["count"]?.integer ?? 0
            let start = 4 + length
            try #require(length % 4 == 0 && bytes.count == start + 28 * n)
            for index in 0..<n {
                let id = bytes[start + 16 * index..<start + 16 * (index + 1)]
                let uuid = id.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
                places[uuid] = (0..<2).map {
                    Float(bitPattern: number(start + 16 * n + 4 * ($0 * n + index)))
                }
                clusters[uuid] = number(start + 24 * n + 4 * index)
            }
        }
    }

    private func map(_ harness: HTTPHarness) async throws -> Map {
        let answer = try await harness.send(.GET, "/api/v1/map")
        #expect(answer.status == 200 && answer.headers["Content-Type"] == ["application/octet-stream"])
        return try Map(answer.body)
    }

    @Test(.temporaryFolders) func `a server begins with the positions of an earlier one`() async throws {
        let folder = try TemporaryFolder().url
        let file = folder.appendingPathComponent("index/map")
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        for text in ["a swift", "a boat", "a loaf", "a star"] { try await store.add(text) }
        func places(isReadOnly: Bool = false) async throws -> [[Float]] {
            let places = Mutex<[[Float]]>([])
            let settings = HTTPHarness.settings { ($0.directory, $0.isReadOnly) = (folder, isReadOnly) }
            try await HTTPHarness.run(settings, store: store) { harness in
                let map = try await map(harness)
                places.withLock { $0 = Array(map.places.values) }
            }
            return places.withLock(\.self)
        }
        #expect(try await places(isReadOnly: true).count == 4)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(try await places().count == 4)
        var saved = try Data(contentsOf: file).dropLast(4)
        let first = saved.count - 4 * 12
        withUnsafeBytes(of: Float(42).bitPattern.littleEndian) {
            saved.replaceSubrange(first..<first + 4, with: $0)
        }
        try (saved + MapCache.checksum(saved)).write(to: file)
        for isReadOnly in [true, false] {
            #expect(try await places(isReadOnly: isReadOnly).count { $0[0] == 42 } == 1)
        }
        for damaged in [Data(), saved.prefix(150), Data(repeating: 255, count: 999), saved + [0, 0, 0, 0]] {
            try damaged.write(to: file)
            let computed = try await places()
            #expect(computed.count == 4 && !computed.contains { $0[0] == 42 })
        }
        try await store.close()
    }

    @Test func `the map has all entries, which keep their positions`() async throws {
        try await HTTPHarness.run { harness in
            let empty = try await map(harness)
            #expect(empty.places.isEmpty)
            var ids: [UUID] = []
            for number in 0..<40 {
                ids.append(
                    try await harness.store.add(
                        "boat \(number) in the \(number % 2 == 0 ? "harbor" : "lake")"
                    ).id)
            }
            let first = try await map(harness)
            #expect(Set(first.places.keys) == Set(ids))
            #expect(first.places.values.joined().allSatisfy { $0.isFinite })
            #expect(first.clusters.values.allSatisfy { $0 == .max })
            try await harness.store.recluster(clusters: 2)
            try await harness.store.storage.saveEntries((0..<20).map { Entry(content: "no vector \($0)") })
            let added = try await harness.store.add("one more boat in the harbor").id
            let second = try await map(harness)
            #expect(second.places.count == 41 && second.places[added] != nil)
            #expect(ids.allSatisfy { first.places[$0] == second.places[$0] })
            let clusters = try await harness.store.storage.snapshot().clusters()
            let names = second.header["clusters"]?.elements ?? []
            for cluster in clusters {
                for member in cluster.members {
                    let number = Int(second.clusters[member] ?? .max)
                    #expect(names.indices.contains(number) && names[number].string == cluster.id.text)
                }
            }
            let removed = try await harness.store.storage.snapshot().entries([ids[0]])
            try await harness.store.remove(ids[0])
            #expect(try await map(harness).places.count == 40)
            try await harness.store.storage.saveEntries(removed)
            #expect(try await map(harness).places[ids[0]] == first.places[ids[0]])
        }
    }

    @Test func `a change is undone over HTTP`() async throws {
        try await HTTPHarness.run { harness in
            // A store in memory records no changes.
            let answer = try await harness.send(.POST, "/api/v1/undo", [:])
            #expect(answer.status == 409)
        }
        let settings = HTTPHarness.settings { $0.isReadOnly = true }
        try await HTTPHarness.run(settings) { harness in
            let answer = try await harness.send(.POST, "/api/v1/undo", ["dryRun": true])
            #expect(answer.status == 403)
        }
    }
}
