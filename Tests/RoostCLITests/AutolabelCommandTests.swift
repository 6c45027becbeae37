import FakeServer
import Foundation
import TestSupport
import Testing

/// Tests of the command that labels clusters with a language model.
@Suite(.temporaryFolders) struct AutolabelCommandTests {
    private let cli = CommandLineDriver()

    private static func chat(_ text: String) -> FakeServer.Answer {
        .json(200, ["choices": [["message": ["content": text]]]] as [String: Any])
    }

    /// Creates a store with four clusters, and changes settings.
    private func prepare(_ settings: [(String, String)]) throws {
        #expect(try cli.roost("init", "--store", "s", "--model", "lexical").status == 0)
        let lines = (0..<80).map { "{\"text\": \"\(SampleTexts.subjects[$0 % 4]) \($0)\"}\n" }.joined()
        try lines.write(to: cli.home.appendingPathComponent("t.jsonl"), atomically: true, encoding: .utf8)
        #expect(try cli.roost("ingest", "--store", "s", "t.jsonl").status == 0)
        #expect(try cli.roost("recluster", "--store", "s", "--clusters=4").status == 0)
        for (name, value) in settings { #expect(try cli.roost("config", name, value).status == 0) }
    }

    @Test func `clusters are labeled, and the output states what is sent to which server`() async throws {
        let server = try await FakeServer { request, number in Self.chat("Name \(number)") }
        try prepare([("label-model", "namer")])
        let noEndpoint = try cli.roost("cluster", "autolabel", "--store", "s")
        #expect(noEndpoint.status == 78 && noEndpoint.error.contains("label-endpoint"), "\(noEndpoint.error)")
        #expect(try cli.roost("config", "label-endpoint", server.address + "/v1").status == 0)
        let preview = try cli.roost("cluster", "autolabel", "--store=s", "--dry-run")
        #expect(preview.status == 0 && preview.output.contains("  text: bread"), "\(preview.output)")
        #expect(server.requests.isEmpty)
        let labeled = try cli.roost("cluster", "autolabel", "--store", "s")
        #expect(labeled.status == 0 && labeled.output.contains("Name 1"), "\(labeled.error)")
        #expect(labeled.error.contains("20 texts from 4 clusters") && labeled.error.contains("at 127.0.0.1:"))
        let again = try cli.roost("cluster", "autolabel", "--store", "s")
        #expect(again.status == 0 && again.error.contains("--again") && server.requests.count == 4)
        // All labels are undone at once.
        #expect(try cli.roost("undo", "--store", "s").status == 0)
        #expect(try !cli.roost("cluster", "list", "--store=s").output.contains("Name"))
        await server.close()
    }

    @Test func `the key for embeddings is not sent to the labeling server, and failures are reported`()
        async throws
    {
        let server = try await FakeServer { _, number in number == 1 ? Self.chat("One") : .json(401, [:]) }
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        let key = cli.home.appendingPathComponent("key")
        try Data("sk-embed".utf8).write(to: key)
        try prepare([
            ("remote-endpoint", "https://example.invalid/v1"), ("remote-key-file", key.path),
            ("label-endpoint", server.address), ("label-model", "remote:namer"),
        ])
        let failed = try cli.roost("cluster", "autolabel", "--store", "s")
        #expect(failed.status == 78 && failed.error.contains("labeled 1 of 4 clusters"), "\(failed.error)")
        #expect(failed.output.contains("One") && failed.error.contains("check the key"))
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil })
        await server.close()
    }
}
