import Foundation
import Roost
import TestSupport
import Testing

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
        try FileManager.default.createDirectory(
            at: cli.home.appendingPathComponent("notes"), withIntermediateDirectories: true)
        try Data(rows.utf8).write(to: cli.home.appendingPathComponent("rows.jsonl"))
        for (name, text) in [
            ("one.md", "# Boats\n\nThe boat was painted blue.\n"),
            ("two.md", "# Boats\n\nThe boat was painted blue!\n"),
        ] {
            try Data(text.utf8).write(to: cli.home.appendingPathComponent("notes/\(name)"))
        }
        #expect(try cli.roost("init", ".roost").status == 0)
        #expect(try cli.roost("ingest", "rows.jsonl", "notes").status == 0)
    }

    private func paths(_ arguments: String...) throws -> [String] {
        // Most of these short entries are no closer than unrelated text.
        let outcome = try cli.roost(arguments + ["--all", "--json"])
        guard outcome.status == 0 || outcome.status == 1 else {
            Issue.record("\(arguments): \(outcome.error)")
            return []
        }
        let hits = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]] ?? []
        return hits.compactMap { ($0["content"] as? String).map { String($0.prefix(7)) } }
    }

    @Test func `options select the search mode and the output`() throws {
        try prepare()
        #expect(try paths("query", "--mode", "text", "baking") == ["Bread i"])
        #expect(try paths("query", "--offset", "4", "boat").count == 1)
        let shown = try cli.roost("query", "--explain", "-n", "1", "painted boat").output
        #expect(shown.contains("notes/one.md:3") || shown.contains("notes/two.md:3"))
        #expect(shown.contains("= passage 0.") && shown.contains("; cosine 0."), "\(shown)")
        let around = try cli.roost("query", "--context", "1", "-n", "1", "painted boat").output
        #expect(around.contains("# Boats") && around.contains("painted blue"))
        for (arguments, status, words) in [
            (["\"no such words\""], Int32(1), "no entry matches"),
            (["--mode", "text", "zeppelin"], 1, "contains any of the words"),
            (["--offset", "10", "boat"], 1, "after the first 10"), ([], 64, "give either"),
            (["--context", "-1", "x"], 64, "--context"), (["x", "--batch", "-"], 64, "give either"),
        ] {
            let outcome = try cli.roost(["query"] + arguments)
            #expect(outcome.status == status && outcome.error.contains(words), "\(arguments): \(outcome)")
        }
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

    @Test func `similar entries and near-duplicates are found`() throws {
        try prepare()
        #expect(try paths("similar", "notes/one.md", "-n", "1") == ["# Boats"])
        #expect(try paths("similar", "notes/one.md", "notes/two.md").allSatisfy { $0 != "# Boats" })
        try Data("bread from the oven".utf8).write(to: cli.home.appendingPathComponent("other.txt"))
        #expect(try paths("similar", "other.txt", "-n", "1") == ["Bread i"])
        let rows = try cli.roost("similar", "--duplicates", "--format", "csv").output.split(separator: "\n")
        #expect(rows[0] == "group,score,id,title,path" && rows[1].hasPrefix("1,1.000,"), "\(rows)")
        let objects = try cli.roost("similar", "--duplicates", "--format=jsonl").output.split(separator: "\n")
        #expect(objects.count == 1 && objects[0].hasPrefix("{\"entries\":["), "\(objects)")
    }
}

/// Tests of the queries that `roost query` accepts.
@Suite(.temporaryFolders) struct QueryLanguageCommandTests {
    private let cli = CommandLineDriver()

    private func prepare() throws {
        let notes = [
            "planets.md": "# Planets\n\nSaturn has rings, and Jupiter has moons. The planets shine.",
            "moons.md": "# Moons\n\nThe moons of Jupiter are planets of their own.",
        ]
        for (name, text) in notes {
            let file = cli.home.appendingPathComponent("notes/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        #expect(try cli.roost("init", ".roost", "--model", "lexical").status == 0)
        #expect(try cli.roost("ingest", "notes").status == 0)
    }

    /// Returns the names of the files that a query finds.
    private func files(_ arguments: String..., input: String = "") throws -> [String] {
        let outcome = try cli.roost(["query", "--all", "--format=paths"] + arguments, input: input)
        #expect([0, 1].contains(outcome.status), "\(arguments): \(outcome.error)")
        return outcome.output.split(separator: "\n").map { String($0.split(separator: "/").last ?? "") }
    }

    @Test func `a word that begins with a hyphen is an operator within quotes and after two hyphens`() throws
    {
        try prepare()
        #expect(try files("planets -saturn") == ["moons.md"])
        #expect(try files("--", "planets", "-saturn") == ["moons.md"])
        let option = try cli.roost("query", "planets", "-saturn")
        #expect(option.status == 64 && option.error.contains("Unknown option '-saturn'"), "\(option)")
        #expect(try files("title:moons") == ["moons.md"])
    }

    @Test func `the query can be read from standard input`() throws {
        try prepare()
        #expect(try files("-", "--mode", "text", input: "saturn\n") == ["planets.md"])
        #expect(try cli.roost("query", "-", input: " \n").status == 65)
    }
}
