import Foundation
import HTTPTypes
import NIOHTTP1
import Roost
import RoostModel
import RoostRemote
import TestSupport
import Testing

@testable import RoostServer

/// Tests of `roost serve` as a process.
@Suite(.temporaryFolders, .timeLimit(.minutes(5)))
struct ServeCommandTests {
    @Test func `the token is printed, and the server ends after SIGTERM with status 0`() async throws {
        let driver = CommandLineDriver()
        let server = try ServeProcess(driver)
        #expect(server.token.count == 64)
        let (status, value) = try await server.send(.GET, "/api/v1/status")
        #expect(status == 200)
        #expect(value["entries"] == 0)
        server.running.process.terminate()
        let outcome = try server.running.outcome()
        #expect(outcome.status == 0)
        #expect(!outcome.error.contains(server.token))
        #expect(outcome.error.contains("request") && outcome.error.contains("status=200"))
    }

    @Test func `a server needs a store, and an address that exists`() throws {
        let driver = CommandLineDriver()
        try driver.expect(66, "`roost init`", "serve", "--store", "none", "--port", "0")
        #expect(!FileManager.default.fileExists(atPath: driver.home.path + "/none"))
        #expect(try driver.roost("init").status == 0)
        let unknown = try driver.roost("serve", "--port", "0", "--listen", "300.1.1.1")
        #expect(unknown.status == 78)
        #expect(unknown.error.contains("roost: cannot listen on 300.1.1.1:0: the host is unknown"))
    }

    @Test func `a port that is in use is reported`() async throws {
        let driver = CommandLineDriver()
        let server = try ServeProcess(driver)
        let second = try driver.roost(
            "serve", "--store", driver.home.path + "/store", "--port", String(server.port))
        #expect(second.status == 78)
        #expect(second.error.contains("cannot listen on 127.0.0.1:\(server.port)"))
        server.running.process.terminate()
        #expect(try server.running.outcome().status == 0)
    }

    @Test func `open uses the running server of the store`() async throws {
        let driver = CommandLineDriver()
        let server = try ServeProcess(driver)
        let open = ["open", "--no-browser", "--store", ServeProcess.store(of: driver)]
        let outcome = try driver.roost(open)
        #expect(outcome.status == 0)
        #expect(outcome.output == "http://127.0.0.1:\(server.port)/#token=\(server.token)\n")
        // Others start a server of their own, which prints another address.
        func ownAddress(_ arguments: [String]) throws -> String {
            let running = try driver.start(arguments)
            var text = ""
            while !text.contains("\n") {
                let data = running.output.availableData
                try #require(!data.isEmpty, "\(text)")
                text += String(decoding: data, as: UTF8.self)
            }
            running.process.terminate()
            #expect(try running.outcome().status == 0)
            return text
        }
        #expect(try driver.roost("init", "other", "--quiet").status == 0)
        #expect(try ownAddress(["open", "--no-browser", "--store", "other"]) != outcome.output)
        #expect(try ownAddress(open + ["--read-only"]) != outcome.output)
        // The record of a process that was killed is ignored.
        kill(server.running.process.processIdentifier, SIGKILL)
        _ = try server.running.outcome()
        #expect(try ownAddress(open) != outcome.output)
    }

    @Test func `a server, the command and agents see each other's commits`() async throws {
        let driver = CommandLineDriver()
        let server = try ServeProcess(driver)
        let store = driver.home.path + "/store"
        let agents = try (0..<2).map { _ in try driver.start(["mcp", "--store", store]) }
        func ask(_ agent: CommandLineDriver.Running, _ name: String, _ arguments: JSONValue) throws -> String
        {
            let message: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": [
                    "name": .string(name), "arguments": arguments,
                    "_meta": [
                        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                        "io.modelcontextprotocol/clientCapabilities": [:],
                    ],
                ],
            ]
            try agent.input.write(contentsOf: message.serialized() + Data("\n".utf8))
            var line = Data()
            while line.last != 0x0A {
                let data = agent.output.availableData
                try #require(!data.isEmpty)
                line += data
            }
            return String(decoding: line, as: UTF8.self)
        }
        let (created, _) = try await server.send(.POST, "/api/v1/entries", ["text": "from the server"])
        #expect(created == 201)
        for agent in agents { #expect(try ask(agent, "search", [:]).contains("one entry matches")) }
        let remembered = try ask(
            agents[0], "remember", ["text": "written by an agent"])
        #expect(remembered.contains("\"stored\":true"), "\(remembered)")
        #expect(try await server.send(.GET, "/api/v1/status").1["entries"] == 2)
        #expect(try ask(agents[1], "search", [:]).contains("2 entries match"))
        #expect(try driver.roost("add", "--store", store, "typed by a person").status == 0)
        #expect(try await server.send(.GET, "/api/v1/status").1["entries"] == 3)
        let found = try await server.send(.POST, "/api/v1/search", ["query": "typed by a person"]).1
        #expect(found["results"]?.elements?.first?["snippet"] == "typed by a person")
        for agent in agents {
            try agent.input.close()
            #expect(try agent.outcome().status == 0)
        }
        server.running.process.terminate()
        #expect(try server.running.outcome().status == 0)
    }

    @Test func `acknowledged writes survive when the server is killed`() async throws {
        let driver = CommandLineDriver()
        let server = try ServeProcess(driver)
        let (client, process) = (server.client, server.running.process.processIdentifier)
        let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var ids: [String] = []
                    for number in 0..<50 {
                        // The requests after the kill fail.
                        guard
                            let (status, value) = try? await client.send(
                                .POST, "/api/v1/entries",
                                ["text": .string("worker \(worker) wrote \(number)")]), status == 201,
                            let id = value["id"]?.string
                        else { break }
                        ids.append(id)
                        if worker == 0, number == 10 {
                            kill(process, SIGKILL)
                        }
                    }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        _ = try server.running.outcome()
        #expect(acknowledged.count >= 11)
        let restarted = try ServeProcess(driver)
        for id in acknowledged {
            #expect(try await restarted.send(.GET, "/api/v1/entries/\(id)").0 == 200)
        }
        restarted.running.process.terminate()
        #expect(try restarted.running.outcome().status == 0)
        let store = driver.home.path + "/store"
        #expect(try driver.roost("doctor", "--store", store).status == 0)
    }

    @Test func `invalid options are refused`() throws {
        let driver = CommandLineDriver()
        for arguments in [
            ["--port", "70000"], ["--allow-origin", "example.com"],
            ["--allow-origin", "https://example.com/app"], ["--allow-host", "https://example.com"],
            ["--allow-host", "example.com:4400"],
        ] {
            #expect(try driver.roost(["serve"] + arguments).status == 64)
        }
    }
}
