import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the commands that concern models, with the small model in `Fixtures/`.
@Suite(.temporaryFolders) struct ModelCommandTests {
    let cli = CommandLineDriver()
    let tiny = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Fixtures/Models/tiny-bert").standardizedFileURL.path

    struct Line: Decodable {
        var text: String
        var embedding: [Float]
        var tokens: Int
        var omittedTokens: Int
    }

    @Test func `a model is added, listed, used and removed`() throws {
        #expect(try cli.roost("model", "add", tiny).status == 0)
        let listed = try cli.roost("model", "list", "--format", "csv")
        #expect(listed.output.contains("tiny-bert,32,38,mean,fast"), "\(listed.output)")
        let document = try cli.roost("model", "list", "--json")
        #expect(document.output.contains("\"speed\" : \"fast\"") && document.output.contains("\"bytes\" : "))
        #expect(try cli.roost("init", "--store", "s", "--model", "tiny-bert:int8").status == 0)
        #expect(try cli.roost("add", "--store", "s", "swifts sleep while flying").status == 0)
        let found = try cli.roost("query", "--store", "s", "sleep")
        #expect(found.status == 0 && found.output.contains("swifts sleep"), "\(found.error)")
        #expect(try cli.roost("status", "--store", "s", "--json").output.contains("+int8"))
        let used = try cli.roost("model", "remove", "tiny-bert", "--store", "s")
        #expect(used.status == 64 && used.error.contains("/s uses it"), "\(used.error)")
        #expect(try cli.roost("model", "remove", "tiny-bert", "--store", "s", "--yes").status == 0)
        let gone = try cli.roost("query", "--store", "s", "sleep")
        #expect(gone.status == 78 || gone.status == 69, "\(gone.error)")
        let byWords = try cli.roost("query", "--store", "s", "--mode", "text", "sleep")
        #expect(byWords.status == 0 && byWords.output.contains("swifts sleep"), "\(byWords.error)")
        #expect(try cli.roost("list", "--store", "s").output.contains("swifts sleep"))
        let again = try cli.roost("model", "remove", "tiny-bert")
        #expect(again.status == 69 && again.error.contains("not installed"))
    }

    @Test func `texts are embedded`() throws {
        let one = try cli.roost("model", "embed", "a roof", "--model", tiny)
        let line = try JSONDecoder().decode(Line.self, from: Data(one.output.utf8))
        #expect(
            line.text == "a roof" && line.embedding.count == 32 && line.tokens == 2 && line.omittedTokens == 0
        )
        let lines = try cli.roost(
            "model", "embed", "-", "--model", tiny, input: "a roof\r\n\nnest\n")
        let documents = try lines.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(documents.map(\.text) == ["a roof", "nest"])
        #expect(zip(documents[0].embedding, line.embedding).allSatisfy { abs($0 - $1) < 1e-5 })
        let long = try cli.roost(
            "model", "embed", "--model", tiny, input: String(repeating: "roof ", count: 60))
        #expect(long.status == 0 && long.error.contains("truncated 1 text"))
        #expect(try JSONDecoder().decode(Line.self, from: Data(long.output.utf8)).omittedTokens == 22)
    }

    @Test func `a static model is created and used`() throws {
        let made = try cli.roost("model", "distill", tiny, "--out", "small", "--dimension", "16", "--int8")
        #expect(made.status == 0, "\(made.error)")
        let line = try cli.roost("model", "embed", "a roof", "--model", "./small")
        #expect(try JSONDecoder().decode(Line.self, from: Data(line.output.utf8)).embedding.count == 16)
        #expect(try cli.roost("model", "add", "small").status == 0)
        let listed = try cli.roost("model", "list", "--format", "csv")
        #expect(listed.output.contains("small,16,512,"), "\(listed.output)")
        #expect(try cli.roost("model", "distill", tiny, "--out", "small").error.contains("already exists"))
    }

    @Test func `a remote model is requested only from the endpoint in the user's settings`() throws {
        let unset = try cli.roost("init", "--store", "s", "--model", "remote:tiny")
        #expect(unset.status == 78 && unset.error.contains("no endpoint is configured"), "\(unset.error)")
        #expect(try cli.roost("config", "remote-endpoint", "no address").status == 78)
        #expect(try cli.roost("config", "remote-key-file", "key").status == 78)
        #expect(try cli.roost("config", "remote-endpoint", "http://127.0.0.1:9/v1").status == 0)
        #expect(try cli.roost("config", "remote-key-file", "/none").status == 0)
        let keyless = try cli.roost("model", "embed", "x", "--model", "remote:tiny")
        #expect(keyless.status == 78 && keyless.error.contains("cannot read a key"), "\(keyless.error)")
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("s").path))
    }

    @Test func `each mistake is reported with its exit status`() throws {
        for (arguments, status, words) in [
            (["model", "embed", "x"], 69, "not installed"),
            (["model", "embed", "x", "--model", "tiny:int4"], 69, "float32 or int8"),
            (["model", "embed", "x", "--model", "./none"], 69, "does not exist"),
            (["model", "embed", "--model", tiny], 66, "empty"),
            (["model", "distill", "lexical", "--out", "x"], 64, "not a BERT model"),
            (["model", "distill", tiny, "--out", "x", "--dimension", "0"], 64, "--dimension"),
            (["model", "remove", "../x"], 69, "not a valid model name"),
        ] as [([String], Int32, String)] {
            let running = try cli.start(arguments)
            try running.input.close()
            let outcome = try running.outcome()
            #expect(
                outcome.status == status && outcome.error.contains(words), "\(arguments): \(outcome.error)")
        }
    }

    @Test func `the command migrates a store to another model`() throws {
        #expect(try cli.roost("init", "--store", "s", "--model", "lexical").status == 0)
        for text in ["swifts sleep while flying", "bread rises overnight", "a boat needs paint"] {
            #expect(try cli.roost("add", "--store", "s", text).status == 0)
        }
        let none = try cli.roost("model", "use", "--store", "s", "tiny-bert")
        #expect(none.status == 69 && none.error.contains("not installed"), "\(none.error)")
        #expect(try cli.roost("model", "use", "--store", "s").status == 64)
        #expect(try cli.roost("model", "use", "--store", "none", "lexical").status == 66)
        let moved = try cli.roost("model", "use", "--store", "s", tiny + ":int8")
        #expect(moved.status == 0 && moved.output.contains("embedded 3 entries with tiny-bert"), "\(moved)")
        #expect(
            moved.error.contains("installed the model tiny-bert") && moved.error.contains("backup restore"))
        #expect(try cli.roost("status", "--store", "s", "--json").output.contains("+int8"))
        #expect(try cli.roost("query", "--store", "s", "swifts").status == 0)
        let again = try cli.roost("model", "use", "--store", "s", "tiny-bert:int8", "--json")
        #expect(again.status == 0 && again.output.contains("\"isMoved\" : false"), "\(again)")
        #expect(try cli.roost("doctor", "--store", "s").status == 0)
        let undone = try cli.roost("undo", "--store", "s")
        #expect(undone.status == 66, "\(undone)")
        #expect(undone.error.contains("this cannot be undone; run `roost backup list`"), "\(undone)")
        let given = try cli.roost("model", "use", "--store", "s", "--discard")
        #expect(given.status == 0 && given.error.contains("no unfinished move"))
    }

    @Test func `tokens that no vector represents are counted`() async throws {
        #expect(try cli.roost("init", "--store", "s", "--model", "lexical").status == 0)
        let long = (0..<700).map { "swift\($0)" }.joined(separator: " ")
        let added = try cli.roost("add", "--store", "s", "-", input: long)
        #expect(added.status == 0, "\(added.error)")
        let id = String(added.output.prefix(8))
        let shown = try cli.roost("show", "--store", "s", id)
        #expect(shown.output.contains("passages  4, 790 tokens; none omitted"), "\(shown.output.prefix(300))")
        // Saves an entry whose vector is provided and whose text exceeds the model's limit.
        let store = try await KnowledgeStore.open(in: cli.home.appendingPathComponent("s")) { _ in
            LexicalEmbedder()
        }
        let vector = [1] + [Float](repeating: 0, count: 511)
        let number = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        try await store.storage.saveEntry(Entry(id: number, content: long, embeddings: vector))
        try await store.close()
        let own = try cli.roost("show", "--store", "s", "--json", "00000000")
        #expect(own.output.contains("\"omittedTokens\" : 446"), "\(own.output.suffix(300))\(own.error)")
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
