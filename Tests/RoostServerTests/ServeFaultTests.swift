import Foundation
import NIOHTTP1
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

#if os(Linux)
    /// Tests of `roost serve` while its store fails, and of its use of memory.
    @Suite(.temporaryFolders, .timeLimit(.minutes(30))) struct ServeFaultTests {
        private static func store(_ server: ServeProcess, _ text: String) async throws -> Int {
            try await server.send(.POST, "/api/v1/entries", ["text": .string(text)]).0
        }

        @Test(arguments: ["sqlite", "json"])
        func `a moved store is reported, and used again when it is back`(provider: String) async throws {
            let driver = CommandLineDriver()
            let folder = ServeProcess.store(of: driver)
            #expect(try driver.roost("init", "--store", folder, "--provider", provider).status == 0)
            let server = try ServeProcess(driver)
            #expect(try await Self.store(server, "before") == 201)
            let files = FileManager.default
            try files.moveItem(atPath: folder, toPath: folder + ".moved")
            for _ in 0..<2 {
                let (status, problem) = try await server.send(.GET, "/api/v1/status")
                #expect(status == 503)
                #expect(problem["code"] == "noStore", "\(problem)")
                #expect(try await Self.store(server, "lost") == 503)
            }
            // A store that is created in its place would hide that the other one is missing.
            #expect(!files.fileExists(atPath: folder))
            try files.moveItem(atPath: folder + ".moved", toPath: folder)
            #expect(try await Self.store(server, "after") == 201)
            #expect(try await server.send(.GET, "/api/v1/status").1["entries"] == 2)
            #expect(try server.stop().status == 0)
        }

        @Test func `a restored store that takes the place of another is served`() async throws {
            let driver = CommandLineDriver()
            let server = try ServeProcess(driver)
            let folder = ServeProcess.store(of: driver)
            #expect(try await Self.store(server, "in the backup") == 201)
            #expect(try driver.roost("backup", "create", "--store", folder).status == 0)
            #expect(try await Self.store(server, "after the backup") == 201)
            #expect(
                try driver.roost(
                    "backup", "restore", "latest", "--store", folder, "--into", folder + ".restored"
                ).status == 0)
            try FileManager.default.moveItem(atPath: folder, toPath: folder + ".old")
            try FileManager.default.moveItem(atPath: folder + ".restored", toPath: folder)
            #expect(try await server.send(.GET, "/api/v1/status").1["entries"] == 1)
            #expect(try await Self.store(server, "after the restore") == 201)
            let (status, found) = try await server.send(
                .POST, "/api/v1/search", ["query": "in the backup", "mode": "text"])
            #expect(status == 200)
            #expect(found["results"]?.elements?.count ?? 0 >= 1)
            #expect(try server.stop().status == 0)
        }

        @Test func `a store that moves to another model is served with the new model`() async throws {
            let driver = CommandLineDriver()
            let server = try ServeProcess(driver)
            let folder = ServeProcess.store(of: driver)
            #expect(try await Self.store(server, "a swift above the roof") == 201)
            let (_, before) = try await server.send(.GET, "/v1/models")
            #expect(before["data"]?.elements?.first?["id"] == "lexical")
            let moved = try driver.roost("model", "use", "--store", folder, Fixtures.tinyModel.path)
            #expect(moved.status == 0, "\(moved.error)")
            #expect(try await server.send(.GET, "/api/v1/status").1["model"] == "tiny-bert")
            let (status, found) = try await server.send(.POST, "/api/v1/search", ["query": "a swift"])
            #expect(status == 200, "\(found)")
            #expect(try await Self.store(server, "the swift has gone") == 201)
            #expect(try server.stop().status == 0)
        }

        @Test(.enabled(if: ReadOnlyMount.isAvailable, "mounting a disk requires Linux and root"))
        func `a full disk is reported, and writing continues when there is space`() async throws {
            let driver = CommandLineDriver()
            let server = try ServeProcess(driver, diskSize: 16 << 20)
            let ballast = server.file(ServeProcess.store(of: driver) + "/ballast")
            #expect(try await Self.store(server, "first") == 201)
            #expect(FileManager.default.createFile(atPath: ballast, contents: Data(count: 10 << 20)))
            let words = String(repeating: "some words ", count: 4_000)
            var (stored, problem): (Int, JSONValue) = (1, .null)
            for number in 0..<400 {
                let (status, answer) = try await server.send(
                    .POST, "/api/v1/entries", ["text": .string("\(number) \(words)")])
                guard status == 201 else {
                    #expect(status == 507, "\(answer)")
                    problem = answer
                    break
                }
                stored += 1
            }
            #expect(problem["code"] == "full")
            #expect(problem["advice"] != nil)
            #expect(try await server.send(.GET, "/api/v1/status").1["entries"] == .integer(Int64(stored)))
            #expect(try await server.send(.POST, "/api/v1/search", ["query": "first"]).0 == 200)
            // The space for the removal comes from the reserve.
            let hit = try await server.send(.POST, "/api/v1/search", ["query": "some words"]).1
            let id = try #require(hit["results"]?.elements?.first?["id"]?.string, "\(hit)")
            let (removed, answer) = try await server.send(.DELETE, "/api/v1/entries/\(id)")
            #expect(removed == 200, "\(answer)")
            try FileManager.default.removeItem(atPath: ballast)
            #expect(try await Self.store(server, "after the disk was full") == 201)
            #expect(try server.stop().status == 0)
        }

        /// `ROOST_SERVE_REQUESTS` sets the number of requests. With at least 100,000, the memory is checked
        /// too; fewer requests do not suffice to distinguish a leak from caches that fill.
        @Test func `many requests leave no memory and no descriptors behind`() async throws {
            let variable = ProcessInfo.processInfo.environment["ROOST_SERVE_REQUESTS"]
            let count = variable.flatMap { Int($0) } ?? 600
            let driver = CommandLineDriver()
            let server = try ServeProcess(driver, "--log", "error")
            for number in 0..<50 { #expect(try await Self.store(server, "heron number \(number)") == 201) }
            try await Self.load(server, max(200, count / 5))
            let (memory, descriptors) = (try server.memory(), try server.descriptors())
            try await Self.load(server, count)
            // Idle connections of the clients and readers of the database remain open, at most some dozens. A
            // leak of one descriptor in ten requests would exceed this.
            #expect(try server.descriptors() <= descriptors + 48)
            if count >= 100_000 {
                let after = try server.memory()
                #expect(after <= memory + memory / 10, "\(memory) kB before, \(after) kB after")
            }
            #expect(try server.stop().status == 0)
        }

        /// Sends requests of different kinds from several clients at the same time.
        private static func load(_ server: ServeProcess, _ count: Int) async throws {
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": ["name": "search", "arguments": ["query": "heron"]],
            ]
            let requests: [(HTTPMethod, String, JSONValue?, Int)] = [
                (.GET, "/api/v1/status", nil, 200), (.POST, "/api/v1/search", ["query": "heron"], 200),
                (.POST, "/mcp", call, 200), (.GET, "/api/v1/entries?limit=20", nil, 200),
                (.POST, "/v1/embeddings", ["model": "lexical", "input": "a heron"], 200),
                (.GET, "/nothing", nil, 404), (.POST, "/api/v1/search", ["quary": "x"], 400),
            ]
            let client = server.client
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        for number in 0..<count / 4 {
                            let (method, path, body, expected) = requests[(number + worker) % requests.count]
                            let (status, answer) = try await client.send(method, path, body)
                            #expect(status == expected, "\(path): \(answer)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
#endif
