import Foundation
import HTTPTypes
import NIOHTTP1
import RoostModel
import TestSupport
import Testing

@testable import RoostRemote
@testable import RoostServer

/// A running `roost serve`.
struct ServeProcess {
    /// Sends requests to a server.
    struct Client {
        let port: Int
        let token: String

        func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) async throws -> (
            Int, JSONValue
        ) {
            let call = HTTPCall(
                HTTPRequest.Method(rawValue: method.rawValue) ?? .get, "http://127.0.0.1:\(port)\(path)",
                headers: [.authorization: "Bearer \(token)"], body: body?.serialized())
            let answer = try await HTTPHarness.client.send(
                call, timeout: .seconds(1200), limit: BodyLimit(size: 1 << 24, timeout: .seconds(1200)))
            let value = try? JSONDecoder().decode(JSONValue.self, from: answer.body)
            return (answer.status, value ?? .null)
        }
    }

    let running: CommandLineDriver.Running
    let client: Client

    var port: Int { client.port }
    var token: String { client.token }

    /// Starts a server and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - driver: Runs the command. The store is the folder `store` in its home folder.
    ///   - arguments: Additional arguments.
    ///   - diskSize: If it is given, the store is in a memory disk of this size in bytes, which only the
    ///     server can see.
    init(_ driver: CommandLineDriver, _ arguments: String..., diskSize: Int? = nil) throws {
        let token = try driver.roost("serve", "--print-token").output.trimmingCharacters(in: .newlines)
        let store = Self.store(of: driver)
        var launcher: [String] = []
        if diskSize == nil, !FileManager.default.fileExists(atPath: store) {
            try #require(try driver.roost("init", store, "--quiet").status == 0)
        }
        if let diskSize {
            let script =
                "mkdir -p \"$0\" && mount -t tmpfs -o size=\(diskSize),mode=0700 tmpfs \"$0\" "
                + "&& \"$1\" init \"$0\" --quiet && exec \"$@\""
            launcher = ["unshare", "--mount", "/bin/sh", "-c", script, store]
        }
        running = try driver.start(
            ["serve", "--store", store, "--port", "0"] + arguments, launcher: launcher)
        var text = ""
        // The server reports its address when it accepts connections.
        while !text.contains("/ (see /docs)") {
            let data = running.error.availableData
            try #require(!data.isEmpty, "\(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        let address = try #require(text.firstMatch(of: /127\.0\.0\.1:(\d+)\//))
        client = Client(port: try #require(Int(address.1)), token: token)
    }

    static func store(of driver: CommandLineDriver) -> String { driver.home.path + "/store" }

    func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) async throws -> (
        Int, JSONValue
    ) {
        try await client.send(method, path, body)
    }

    /// Asks the server to end, and waits for it.
    func stop() throws -> CommandLineDriver.Outcome {
        running.process.terminate()
        return try running.outcome()
    }

    #if os(Linux)
        func file(_ path: String) -> String { "/proc/\(running.process.processIdentifier)/root\(path)" }

        func memory() throws -> Int {
            let text = try String(
                contentsOfFile: "/proc/\(running.process.processIdentifier)/status", encoding: .utf8)
            return try #require(text.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Int($0.1) })
        }

        /// The number of open file descriptors of the server.
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(running.process.processIdentifier)/fd"
            ).count
        }
    #endif
}
