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
        let process = try cli.start(arguments + ["--all", "--json"])
        try process.input.close()
        let outcome = try process.outcome()
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
        #expect(try paths("query", "\"boat was painted\" -sea").count == 2)
        #expect(try paths("query", "--mode", "text", "bre*") == ["Bread i"])
        #expect(try paths("query", "--offset", "4", "boat").count == 1)
        let shown = try cli.roost("query", "--explain", "-n", "1", "painted boat").output
        #expect(shown.contains("notes/one.md:3") || shown.contains("notes/two.md:3"))
        #expect(shown.contains("= passage 0.") && shown.contains("; cosine 0."), "\(shown)")
        #expect(shown.contains("words "), "\(shown)")
        let around = try cli.roost("query", "--context", "1", "-n", "1", "painted boat").output
        #expect(around.contains("# Boats") && around.contains("painted blue"))
        let json = try cli.roost("query", "--explain", "--json", "-n", "1", "painted").output
        let hit = try #require(
            try (JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])?.first)
        #expect(hit["score"] is Double)
        let mark = try #require((hit["marks"] as? [[Int]])?.first)
        let text = try #require(hit["snippet"] as? String)
        #expect(String(decoding: Array(text.utf8)[mark[0]..<mark[1]], as: UTF8.self) == "painted")
        #expect(hit["line"] as? Int == 3)
        #expect((hit["explanation"] as? [String: Any])?["textScore"] != nil)

        let nothing = try cli.roost("query", "\"no such words\"")
        #expect(nothing.status == 1 && nothing.error.contains("no entry matches"))
        let words = try cli.roost("query", "--mode", "text", "zeppelin")
        #expect(words.status == 1 && words.error.contains("contains any of the words"))
        #expect(
            try cli.roost("query", "-n", "2", "--offset", "10", "boat").error.contains("after the first 10"))
        for wrong in [
            ["query"], ["query", "--mode", "nearest", "x"], ["query", "--offset", "-1", "x"],
            ["query", "--context", "-1", "x"],
            ["query", "x", "--batch", "-"],
        ] {
            let process = try cli.start(wrong)
            try process.input.close()
            #expect(try process.outcome().status == 64, "\(wrong)")
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
        #expect(try cli.roost("query", "--batch", "none.txt").status == 66)
    }

    @Test func `similar entries and near-duplicates are found`() throws {
        try prepare()
        #expect(try paths("similar", "notes/one.md", "-n", "1") == ["# Boats"])
        #expect(try paths("similar", "notes/one.md", "notes/two.md").allSatisfy { $0 != "# Boats" })
        try Data("bread from the oven".utf8).write(to: cli.home.appendingPathComponent("other.txt"))
        #expect(try paths("similar", "other.txt", "-n", "1") == ["Bread i"])
        #expect(try cli.roost("similar").status == 64)
        #expect(try cli.roost("similar", "none.txt").status == 66)

        let groups = try cli.roost("similar", "--duplicates")
        #expect(
            groups.status == 0 && groups.output.split(separator: "\n").count == 2
                && groups.output.contains("two.md"), "\(groups)")
        let rows = try cli.roost("similar", "--duplicates", "--format", "csv").output.split(separator: "\n")
        #expect(rows[0] == "group,score,id,title,path" && rows[1].hasPrefix("1,1.000,"), "\(rows)")
        let objects = try cli.roost("similar", "--duplicates", "--format=jsonl").output.split(separator: "\n")
        #expect(objects.count == 1 && objects[0].hasPrefix("{\"entries\":["), "\(objects)")
        let json = try cli.roost("similar", "--duplicates", "--json", "--threshold", "0.9").output
        let found = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        #expect((found?.first?["entries"] as? [Any])?.count == 2)
        #expect(try cli.roost("similar", "--duplicates", "--source", "rows.jsonl").status == 0)
        #expect(try cli.roost("similar", "--duplicates", "--threshold", "1.5").status == 64)
    }
}
