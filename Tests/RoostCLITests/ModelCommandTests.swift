import FakeServer
import Foundation
import Roost
import RoostFiles
import TestSupport
import Testing

/// Tests of the commands that concern models, with the small model in `Fixtures/`.
@Suite(.temporaryFolders) struct ModelCommandTests {
    let cli = CommandLineDriver()
    let tiny = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Fixtures/Models/tiny-bert").standardizedFileURL.path

    @Test func `a model is added, listed, used and removed`() throws {
        #expect(try cli.roost("model", "add", tiny).status == 0)
        let listed = try cli.roost("model", "list", "--format", "csv")
        #expect(listed.output.contains("tiny-bert,32,38,mean,"), "\(listed.output)")
        #expect(try cli.roost("init", "--store", "s", "--model", "tiny-bert:int8").status == 0)
        #expect(try cli.roost("add", "--store", "s", "swifts sleep while flying").status == 0)
        let found = try cli.roost("query", "--store", "s", "sleep")
        #expect(found.status == 0 && found.output.contains("swifts sleep"), "\(found.error)")
        try cli.expect(64, "/s uses it", "model", "remove", "tiny-bert", "--store", "s")
        #expect(try cli.roost("model", "remove", "tiny-bert", "--store", "s", "--yes").status == 0)
        let gone = try cli.roost("query", "--store", "s", "sleep")
        #expect(gone.status == 78 || gone.status == 69, "\(gone.error)")
        let byWords = try cli.roost("query", "--store", "s", "--mode", "text", "sleep")
        #expect(byWords.status == 0 && byWords.output.contains("swifts sleep"), "\(byWords.error)")
    }

    /// Answers like a hub whose default model has the files of `tiny-bert`.
    private func hub(_ request: FakeServer.Request) throws -> FakeServer.Answer {
        let names = try FileManager.default.subpathsOfDirectory(atPath: tiny)
        let files = names.filter { !$0.hasSuffix("1_Pooling") }
        func data(_ name: String) throws -> Data {
            try Data(contentsOf: URL(fileURLWithPath: "\(tiny)/\(name)"))
        }
        let start = "/sentence-transformers/all-MiniLM-L6-v2/"
        if request.path == "/api/models\(start)tree/main?recursive=true" {
            return .json(
                200,
                try files.map {
                    let data = try data($0)
                    let large = ["oid": SHA256.hexadecimal(data), "size": data.count] as [String: Any]
                    return ["type": "file", "path": $0, "size": data.count, "oid": "", "lfs": large]
                        as [String: Any]
                })
        }
        let name = request.path.replacing("\(start)resolve/main/", with: "")
        return files.contains(name) ? .init(body: try data(name)) : .init(status: 404)
    }

    private func ingest(_ arguments: String..., from server: FakeServer) throws -> CommandLineDriver.Outcome {
        try cli.write("swifts sleep while flying", to: "notes/a.md")
        let running = try cli.start(
            ["ingest", "notes", "--store", "s"] + arguments, environment: ["HF_ENDPOINT": server.address])
        try running.input.close()
        return try running.outcome()
    }

    @Test func `only with --yes, the first ingest downloads the default model`()
        async throws
    {
        let server = try await FakeServer { request, _ in (try? hub(request)) ?? .init(status: 500) }
        let words = try ingest(from: server)
        #expect(words.status == 0 && words.error.contains("(lexical)"), "\(words.error)")
        #expect(words.error.contains("use `roost ingest --yes`") && server.requests.isEmpty)
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("s"))
        let made = try ingest("--yes", from: server)
        #expect(made.status == 0 && made.output.hasPrefix("1 new"), "\(made.error)")
        #expect(made.error.contains("from 127.0.0.1") && made.error.contains("/s (all-MiniLM-L6-v2)"))
        await server.close()
    }

    @Test func `if the download fails, no store is created`() async throws {
        let server = try await FakeServer { _, _ in .init(status: 404) }
        let failed = try ingest("--yes", from: server)
        #expect(failed.status == 78 && failed.error.contains("status 404"), "\(failed.error)")
        #expect(failed.error.contains("omit the download") && failed.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("s").path))
        await server.close()
    }

    @Test func `the vectors of arguments and of lines are printed as JSON lines`() throws {
        struct Line: Decodable {
            var text: String
            var embedding: [Float]
        }
        let given = try cli.roost("model", "embed", "--model", tiny, "one swift", "two")
        let read = try cli.roost("model", "embed", "--model", tiny, input: "one swift\n\ntwo\n")
        #expect(given.status == 0 && read.output == given.output, "\(given.error)\(read.error)")
        let lines = try given.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.map(\.text) == ["one swift", "two"])
        #expect(lines.allSatisfy { $0.embedding.count == 32 })
    }

    @Test func `a remote model is requested only from the endpoint in the user's settings`() throws {
        try cli.expect(78, "no endpoint is configured", "init", "--store", "s", "--model", "remote:tiny")
        #expect(try cli.roost("config", "remote-endpoint", "http://127.0.0.1:9/v1").status == 0)
        #expect(try cli.roost("config", "remote-key-file", "/none").status == 0)
        try cli.expect(78, "cannot read a key", "init", "--store", "s", "--model", "remote:tiny")
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("s").path))
    }

    @Test func `each mistake is reported with its exit status`() throws {
        for (arguments, status, words) in [
            (["init", "--store", "x", "--model", "tiny:int4"], 69, "float32 or int8"),
            (["model", "remove", "../x"], 69, "not a valid model name"),
        ] as [([String], Int32, String)] {
            let outcome = try cli.roost(arguments)
            #expect(
                outcome.status == status && outcome.error.contains(words), "\(arguments): \(outcome.error)")
        }
    }

    @Test func `the command migrates a store to another model`() throws {
        #expect(try cli.roost("init", "--store", "s", "--model", "lexical").status == 0)
        #expect(try cli.roost("add", "--store", "s", "swifts sleep while flying").status == 0)
        #expect(try cli.roost("model", "use", "--store", "none", "lexical").status == 66)
        let moved = try cli.roost("model", "use", "--store", "s", tiny + ":int8")
        #expect(moved.status == 0 && moved.output.contains("embedded 1 entry with tiny-bert"), "\(moved)")
        #expect(
            moved.error.contains("installed the model tiny-bert") && moved.error.contains("backup restore"))
        #expect(try cli.roost("status", "--store", "s").output.contains(", int8, "))
        let undone = try cli.roost("undo", "--store", "s")
        #expect(undone.error.contains("this cannot be undone; run `roost backup list`"), "\(undone)")
    }

    @Test func `doctor detects that a store's model was replaced by another one`() async throws {
        #expect(try cli.roost("init", "--store", "s", "--model", "lexical").status == 0)
        let url = cli.home.appendingPathComponent("s/store.json")
        let text = try String(contentsOf: url, encoding: .utf8)
        let probe = try #require(text.firstMatch(of: /"probe" : "([0-9a-f]{16})"/)?.1)
        try Data(text.replacing(probe, with: String(probe.reversed().map { $0 == "0" ? "f" : "0" })).utf8)
            .write(to: url)
        let found = try cli.roost("doctor", "--store", "s")
        #expect(found.status == 65 && found.output.contains("different vectors"), "\(found.output)")
    }
}

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
        try cli.write(lines, to: "t.jsonl")
        #expect(try cli.roost("ingest", "--store", "s", "t.jsonl").status == 0)
        #expect(try cli.roost("recluster", "--store", "s", "--clusters=4").status == 0)
        for (name, value) in settings { #expect(try cli.roost("config", name, value).status == 0) }
    }

    @Test func `clusters are labeled, and the output states what is sent to which server`() async throws {
        let server = try await FakeServer { request, number in Self.chat("Name \(number)") }
        try prepare([("label-model", "namer")])
        try cli.expect(78, "label-endpoint", "cluster", "autolabel", "--store", "s")
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
