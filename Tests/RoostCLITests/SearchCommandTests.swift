import Foundation
import Roost
import TestSupport
import Testing

@Suite(.temporaryFolders) struct ClusterCommandTests {
    private let cli = CommandLineDriver()

    @Test func `fewer clusters or parts than requested are reported`() throws {
        #expect(try cli.roost("init", "--model", "lexical").status == 0)
        let rows = (0..<30).map { "{\"id\": \"\($0)\", \"text\": \"\(SampleTexts.subjects[$0 % 2])\"}\n" }
        try cli.write(rows.joined(), to: "rows.jsonl")
        #expect(try cli.roost("ingest", "rows.jsonl").status == 0)
        try cli.expect(0, "only 2 of 5 clusters", "recluster", "--clusters", "5")
        #expect(try cli.roost("recluster", "--clusters", "1").status == 0)
        let one = try cli.roost("cluster", "list", "--json")
        let id = try #require(one.output.firstMatch(of: /"id":"([0-9a-f-]+)"/)?.1)
        let again = try cli.roost("recluster", "--clusters", "1", "--dry-run")
        let summary = "; 1 continues an earlier cluster; nothing was changed"
        #expect(again.error.contains(summary), "\(again.error)")
        #expect(again.error.contains("1 cluster has the same members as before"), "\(again.error)")
        try cli.expect(66, "no entry matches", "recluster", "--tag", "nowhere")
        try cli.expect(0, "only 2 of 3 parts", "cluster", "split", String(id), "--into", "3")
        #expect(try cli.roost("cluster", "delete", String(id)).status == 0)
        #expect(try cli.roost("export", "clusters").error.contains("in no cluster"))
    }
}

/// Tests of the commands `roost query` and `roost similar`.
@Suite(.temporaryFolders) struct SearchCommandTests {
    private let cli = CommandLineDriver()

    /// Creates a store with three rows of a JSON Lines file and two notes.
    private func prepare() throws {
        let rows = """
            {"id": "a", "text": "The swift is back above the roof.", "year": 2019, "status": "done", "lang": "en"}
            {"id": "b", "text": "Bread is baked in the oven at night.", "year": 2021, "lang": "de"}
            {"id": "c", "text": "A boat comes home over the sea.", "year": 2023, "status": "open"}
            """
        try cli.write(rows, to: "rows.jsonl")
        for (name, text) in [
            ("one.md", "# Boats\n\nThe boat was painted blue.\n"),
            ("two.md", "# Boats\n\nThe boat was painted blue!\n"),
        ] {
            try cli.write(text, to: "notes/\(name)")
        }
        #expect(try cli.roost("init", ".roost").status == 0)
        #expect(try cli.roost("ingest", "rows.jsonl", "notes").status == 0)
    }

    private func paths(_ arguments: String..., input: String = "") throws -> [String] {
        // Most of these short entries are no closer than unrelated text.
        let outcome = try cli.roost([arguments[0], "--all", "--json"] + arguments.dropFirst(), input: input)
        guard outcome.status == 0 || outcome.status == 1 else {
            Issue.record("\(arguments): \(outcome.error)")
            return []
        }
        let hits = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]] ?? []
        return hits.compactMap { ($0["text"] as? String).map { String($0.prefix(7)) } }
    }

    @Test func `options select the search mode and the output`() throws {
        try prepare()
        #expect(try paths("query", "--mode", "text", "baking") == ["Bread i"])
        #expect(try paths("query", "--offset", "4", "boat").count == 1)
        let shown = try cli.roost("query", "--explain", "-n", "1", "painted boat").output
        #expect(shown.contains("notes/one.md:3") || shown.contains("notes/two.md:3"))
        #expect(shown.contains("= passage 0.") && shown.contains("; cosine 0."), "\(shown)")
        // The excerpt is the whole text.
        #expect(!shown.contains("…"), "\(shown)")
        let around = try cli.roost("query", "--context", "1", "-n", "1", "painted boat").output
        #expect(around.contains("# Boats") && around.contains("painted blue"))
        for (arguments, status, words) in [
            (["\"no such words\""], Int32(1), "no entry matches"),
            (["--mode", "text", "zeppelin"], 1, "contains any of the words"),
            (["--offset", "10", "boat"], 1, "after the first 10"), ([], 64, "give either"),
            (["--context", "-1", "x"], 64, "--context"), (["x", "--batch", "-"], 64, "give either"),
        ] {
            try cli.expect(status, words, ["query"] + arguments)
        }
    }

    @Test func `a cross-encoder orders the hits`() throws {
        try prepare()
        let model = Fixtures.folder.appendingPathComponent("Models/tiny-cross-encoder").path
        let plain = try cli.roost("query", "swift roof", "--all", "--json")
        let ranked = try cli.roost("query", "swift roof", "--all", "--json", "--rerank", model)
        #expect(ranked.status == 0 && ranked.output != plain.output, "\(ranked.error)")
        let absent = try cli.roost("query", "swift", "--rerank", "nothing")
        #expect(absent.status != 0 && absent.error.contains("nothing is not installed"), "\(absent.error)")
    }

    @Test func `a batch of queries is answered line by line`() throws {
        try prepare()
        let outcome = try cli.roost(
            "query", "--batch", "-", "-n", "2", "--all", input: "boat\n\nbread -sea\r\n")
        #expect(outcome.status == 0)
        let answers = try outcome.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(answers.map { $0["line"] as? Int } == [1, 3])
        #expect(answers.map { ($0["hits"] as? [Any])?.count } == [2, 2])
        #expect(answers[1]["query"] as? String == "bread -sea")
    }

    @Test func `a word that begins with a hyphen is an operator within quotes and after two hyphens`() throws
    {
        try prepare()
        #expect(try paths("query", "--mode", "text", "boat -painted") == ["A boat "])
        #expect(try paths("query", "--mode", "text", "--", "boat", "-painted") == ["A boat "])
        try cli.expect(64, "Unknown option '-painted'", "query", "boat", "-painted")
        #expect(try paths("query", "title:boats").count == 2)
    }

    @Test func `the query can be read from standard input`() throws {
        try prepare()
        #expect(try paths("query", "-", "--mode", "text", input: "oven\n") == ["Bread i"])
        #expect(try cli.roost("query", "-", input: " \n").status == 65)
    }
}
