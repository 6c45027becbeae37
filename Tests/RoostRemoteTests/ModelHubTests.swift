import FakeServer
import Foundation
import RoostFiles
import RoostModel
import Synchronization
import TestSupport
import Testing

@testable import RoostRemote

/// Tests of downloads from a server with the API of the Hugging Face Hub.
@Suite(.temporaryFolders) struct ModelHubTests {
    static let files: [String: Data] = [
        "config.json": Data(#"{"model_type": "bert"}"#.utf8), "1_Pooling/config.json": Data("{}".utf8),
        "model.safetensors": Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }),
        "pytorch_model.bin": Data("never requested".utf8),
    ]

    static func hexadecimal(_ digest: some Sequence<UInt8>) -> String {
        digest.map { String(format: "%02x", $0) }.joined()
    }

    static let list: FakeServer.Answer = .json(
        200,
        files.map { path, data in
            let blob = hexadecimal(
                (Data("blob \(data.count)\0".utf8) + data).withUnsafeBytes { SHA1.hash([$0]) })
            var item = ["type": "file", "path": path, "size": data.count, "oid": blob] as [String: Any]
            if path == "model.safetensors" {
                item["size"] = data.count
                item["oid"] = "pointer"
                item["lfs"] =
                    ["oid": hexadecimal(SHA256.hash(data)), "size": data.count] as [String: Any]
            }
            return item
        } + [["type": "directory", "path": "1_Pooling", "size": 0, "oid": "tree"] as [String: Any]])

    static func file(_ request: FakeServer.Request, _ path: String) -> FakeServer.Answer {
        guard let data = files[path] else { return FakeServer.Answer(status: 404) }
        guard let range = request.headers["range"], let start = Int(range.dropFirst(6).dropLast()) else {
            return FakeServer.Answer(body: data)
        }
        return FakeServer.Answer(
            status: 206, headers: ["Content-Range": "bytes \(start)-\(data.count - 1)/\(data.count)"],
            body: data[start...])
    }

    static func answer(_ request: FakeServer.Request) -> FakeServer.Answer {
        if request.path == "/api/models/org/tiny/tree/main?recursive=true" { return list }
        let start = "/org/tiny/resolve/main/"
        guard request.path.hasPrefix(start) else { return FakeServer.Answer(status: 404) }
        return file(request, String(request.path.dropFirst(start.count)))
    }

    let folder = TemporaryFolder.unusedURL()
    let requested = ["config.json", "model.safetensors", "1_Pooling/config.json", "vocab.txt"]

    func fetch(
        _ server: FakeServer, _ name: String = "org/tiny", timeout: Duration = .seconds(60)
    ) async throws {
        var hub = try ModelHub(address: server.address, token: Secret("hf-hush"))
        hub.timeout = timeout
        hub.pause = .milliseconds(1)
        hub.attempts = 3
        try await hub.fetch(name, files: requested, into: folder)
    }

    func expectComplete() throws {
        for path in requested.dropLast() {
            #expect(try Data(contentsOf: folder.appendingPathComponent(path)) == Self.files[path])
        }
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["1_Pooling", "1_Pooling/config.json", "config.json", "model.safetensors"])
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `each requested file is downloaded once`() async throws {
        let server = try await FakeServer { request, _ in Self.answer(request) }
        try await fetch(server)
        #expect(server.requests.count == 4)
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer hf-hush" })
        try await fetch(server)
        #expect(server.requests.count == 5)
        await server.close()
        try expectComplete()
    }

    @Test(arguments: [Int.max, -1]) func `a list with an impossible size is refused`(size: Int) async throws {
        let server = try await FakeServer { _, _ in
            .json(
                200,
                ["config.json", "model.safetensors"].map {
                    ["type": "file", "path": $0, "size": size, "oid": "x"] as [String: Any]
                })
        }
        let error = await #expect(throws: EmbedderError.self) { try await fetch(server) }
        #expect(error?.code == .badAnswer)
        await server.close()
    }

    @Test func `a partial download is resumed`() async throws {
        let server = try await FakeServer { request, _ in Self.answer(request) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let complete = try #require(Self.files["model.safetensors"])
        try complete.prefix(100_000).write(to: folder.appendingPathComponent("model.safetensors.part"))
        try await fetch(server)
        let request = try #require(server.requests.first { $0.path.hasSuffix("safetensors") })
        #expect(request.headers["range"] == "bytes=100000-")
        await server.close()
        try expectComplete()
    }

    @Test func `of two downloads to one folder, at least one succeeds, and the other names the first`()
        async throws
    {
        let server = try await FakeServer { request, _ in Self.answer(request) }
        for _ in 0..<10 {
            let downloads = (0..<2).map { _ in Task { try await fetch(server) } }
            var successes = 0
            for download in downloads {
                switch await download.result {
                case .success: successes += 1
                case .failure(let error):
                    let message = (error as? EmbedderError)?.message ?? "\(error)"
                    #expect(message.contains("another process is downloading it"), "\(message)")
                }
            }
            #expect(successes > 0)
            try expectComplete()
        }
        await server.close()
    }

    @Test func `a download survives missing range support, a closed connection and a redirect`()
        async throws
    {
        let server = try await FakeServer { request, number in
            if number == 2 { return FakeServer.Answer(hangsUp: true) }
            if request.path.hasPrefix("/cdn/") {
                return Self.file(request, String(request.path.dropFirst(5)))
            }
            if request.path.hasSuffix("model.safetensors") {
                return FakeServer.Answer(status: 302, headers: ["Location": "/cdn/model.safetensors"])
            }
            var plain = request
            plain.headers["range"] = nil
            return Self.answer(plain)
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("{\"".utf8).write(to: folder.appendingPathComponent("config.json.part"))
        try await fetch(server)
        await server.close()
        try expectComplete()
    }

    @Test(arguments: [true, false])
    func `a download that fails each time keeps its part and names the next step`(stalls: Bool) async throws {
        let isBroken = Mutex(true)
        let server = try await FakeServer { request, _ in
            var answer = Self.answer(request)
            if request.path.hasSuffix("safetensors"), isBroken.withLock(\.self) {
                (answer.stalls, answer.cutsOff) = (stalls, !stalls)
            }
            return answer
        }
        let error = await #expect(throws: EmbedderError.self) {
            try await fetch(server, timeout: .milliseconds(300))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.hasSuffix("; try again to resume the download") == true, "\(error as Any)")
        let part = folder.appendingPathComponent("model.safetensors.part")
        #expect(try Data(contentsOf: part).count > 150_000)
        isBroken.withLock { $0 = false }
        try await fetch(server)
        await server.close()
        try expectComplete()
    }

    @Test func `a hub that cannot be reached is named`() async throws {
        let server = try await FakeServer { request, _ in Self.answer(request) }
        await server.close()
        let error = await #expect(throws: EmbedderError.self) { try await fetch(server) }
        #expect(
            error?.message.contains("cannot reach the hub at 127.0.0.1 (") == true, "\(error as Any)")
    }

    @Test func `a file with a checksum mismatch is deleted`() async throws {
        let server = try await FakeServer { request, _ in
            var answer = Self.answer(request)
            if request.path.hasSuffix("safetensors") { answer.body[answer.body.startIndex + 7] ^= 1 }
            return answer
        }
        let error = await #expect(throws: EmbedderError.self) { try await fetch(server) }
        #expect(error?.code == .badAnswer && error?.message.contains("checksum") == true)
        await server.close()
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.hasPrefix("model.safetensors") })
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `a missing or unsupported model is an error`() async throws {
        let server = try await FakeServer { request, _ in
            request.path.contains("bare")
                ? .json(
                    200, [["type": "file", "path": "config.json", "size": 1, "oid": "x"] as [String: Any]])
                : FakeServer.Answer(status: 404)
        }
        for (name, code, words) in [
            ("org/none", "refused", "404"), ("org/bare", "unsupportedModel", "model.safetensors"),
            ("../up", "configuration", "not a valid name"), ("a/b/c", "configuration", "not a valid name"),
        ] {
            let error = await #expect(throws: EmbedderError.self) { try await fetch(server, name) }
            #expect(
                error?.code.rawValue == code && error?.message.contains(words) == true,
                "\(error?.message ?? "")")
            #expect(error?.message.contains("hush") == false)
        }
        await server.close()
    }
}
