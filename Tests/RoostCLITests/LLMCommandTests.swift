import Foundation
import TestSupport
import Testing

/// Tests of the commands with the options of the program `llm`.
@Suite(.temporaryFolders) struct LLMCommandTests {
    private let cli = CommandLineDriver()

    private func run(_ line: String, input: String = "") throws -> CommandLineDriver.Outcome {
        let outcome = try cli.roost(line.split(separator: " ").map(String.init), input: input)
        #expect(outcome.status == 0, "\(line): \(outcome)")
        return outcome
    }

    private func results(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `Texts of all forms are added once and found by similarity`() throws {
        let csv = "id,title,body\na,Swifts,return to the roof in May\nb,Green tea,\"steep, then wait\"\n"
        let first = try run("llm embed-multi notes - -d s -m lexical --store --batch-size 5", input: csv)
        #expect(first.error.contains("2 new, 0 updated, 0 unchanged"), "\(first)")
        #expect(try run("llm embed-multi notes - -d s", input: csv).error.contains("0 new, 0 updated, 2 un"))
        let lines =
            "{\"id\": 7, \"text\": \"bread in the oven\"}\n{\"id\": 8, \"x\": \"dough\", \"y\": \"rises\"}\n"
        _ = try run("llm embed-multi more - -d s --prefix row/", input: lines)
        _ = try run(
            "llm embed-multi more - -d s --format json", input: "[{\"id\": \"j\", \"t\": \"a json row\"}]")
        let found = try results(run("llm similar notes -d s -c tea -n 1").output)
        #expect(found.count == 1 && found[0]["id"] as? String == "b", "\(found)")
        #expect(found[0]["content"] as? String == "Green tea steep, then wait")
        #expect((found[0]["score"] as? Double ?? 0) > 0.1)
        let other = try results(run("--store s llm similar notes b").output)
        #expect(other.map { $0["id"] as? String } == ["a"], "\(other)")
        let prefixed = try results(run("llm similar more -c dough -d s --prefix row/").output)
        #expect(Set(prefixed.compactMap { $0["id"] as? String }) == ["row/7", "row/8"], "\(prefixed)")
        #expect(try run("llm similar more -c dough -p -d s -n 1").output.hasPrefix("row/8 (0."))
        let collections = try run("llm collections -d s --format csv").output
        #expect(
            collections.contains("2,notes,llm:#notes") && collections.contains("3,more,"), "\(collections)")
    }

    @Test func `Tables of spreadsheets and rows with null values are added`() throws {
        let sheet = "\u{FEFF}id;t;u\r\n1;a;b\r\n2;\"c;d\";e\r\n"
        _ = try run("llm embed-multi sheet - -d s -m lexical", input: sheet)
        let rows = "\u{FEFF}[{\"id\": 1, \"t\": \"x\", \"u\": null}]"
        _ = try run("llm embed-multi nulls - -d s", input: rows)
        let entries = try run("export entries --jsonl --store s").output
        for text in ["a b", "c;d e", "x"] {
            #expect(entries.contains("{\"content\":\"\(text)\","), "\(text): \(entries)")
        }
        let noID = try cli.roost(
            ["llm", "embed-multi", "nulls", "-", "-d", "s"], input: "{\"id\": null, \"t\": \"x\"}\n")
        #expect(noID.status == 65 && noID.error.contains("it has no id"), "\(noID)")
    }

    @Test func `Single texts and files are added, and vectors are printed`() throws {
        let folder = cli.home.appendingPathComponent("docs/deep")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("a swift".utf8).write(to: folder.appendingPathComponent("a.md"))
        try Data("green tea".utf8).write(to: folder.appendingPathComponent("b.txt"))
        _ = try run("llm embed-multi docs -d s -m lexical --files docs **/*.md --prefix d/")
        #expect(
            try results(run("llm similar docs -c swift -d s").output)[0]["id"] as? String == "d/deep/a.md")
        let added = try cli.roost(
            "llm", "embed", "notes", "one", "-c", "a note", "--metadata", "{\"year\": 2026}", "-d", "s")
        #expect(added.status == 0, "\(added)")
        #expect(try run("list --store s --where year=2026 --json").output.contains("\"key\":\"one\""))
        let vector = try run("llm embed -m lexical -c tea").output
        let numbers = try JSONDecoder().decode([Float].self, from: Data(vector.utf8))
        let encoded = try run("llm embed -m lexical -f base64", input: "tea").output
        let bytes = try #require(Data(base64Encoded: String(encoded.dropLast())))
        #expect(bytes.count == 4 * numbers.count && numbers.count > 100)
    }

    @Test(arguments: [
        ("llm similar nots -c x -d s", 66, "did you mean 'notes'?"),
        ("llm similar notes -d s", 64, "give an id"),
        ("llm similar notes zz -d s", 66, "no text with the id"),
        ("llm embed-multi notes -d s", 64, "--files"),
        ("llm embed-multi notes none.csv -d s", 66, "none.csv"),
        ("llm embed a -c x -d s", 64, "both a collection"),
        ("llm embed a b -c x --metadata [] -d s", 64, "JSON object"),
        ("llm similr x", 64, "`roost llm similar`"),
    ])
    func `A wrong command line has a message`(line: String, status: Int32, part: String) throws {
        _ = try run("llm embed notes a -c text -d s -m lexical")
        let outcome = try cli.roost(line.split(separator: " ").map(String.init))
        #expect(outcome.status == status && outcome.error.contains(part), "\(outcome)")
    }

    @Test func `The texts of a collection are divided into groups`() throws {
        let csv = "id,text\na,green tea leaves\nb,green tea leaf\nc,swifts on the roof\nd,swifts on roofs\n"
        _ = try run("llm embed-multi notes - -d s -m lexical", input: csv)
        let output = try run("llm cluster notes 2 --truncate 5 -d s").output
        let groups = try #require(
            try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
        let ids = groups.map { ($0["items"] as? [[String: Any]] ?? []).map { $0["id"] as? String ?? "" } }
        #expect(Set(ids) == [["a", "b"], ["c", "d"]], "\(output)")
        #expect(
            groups.map { $0["id"] as? String } == ["0", "1"] && output.contains("\"green\""), "\(output)")
        for (line, status, part) in [
            ("llm cluster notes 9 -d s", 64, "9"), ("llm cluster notes 0 -d s", 64, "at least 1"),
            ("llm cluster note 2 -d s", 66, "did you mean 'notes'?"),
            ("llm collections delete notes -d s", 64, "roost remove --source"),
            ("llm collections path", 64, "run `roost llm collections`"),
        ] {
            let outcome = try cli.roost(line.split(separator: " ").map(String.init))
            #expect(Int(outcome.status) == status && outcome.error.contains(part), "\(line): \(outcome)")
        }
        #expect(try run("llm collections list -d s").output.contains("notes"))
        #expect(try run("-q llm embed-multi more - -d s", input: "id,text\n1,one\n").error.isEmpty)
    }
}
