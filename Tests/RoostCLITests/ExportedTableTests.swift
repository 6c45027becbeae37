import Foundation
import TestSupport
import Testing

/// Tests of exports as tables, and of their import.
@Suite(.temporaryFolders) struct ExportedTableTests {
    private let cli = CommandLineDriver()

    private func file(_ name: String) -> URL { cli.home.appendingPathComponent(name) }

    private func write(_ text: String, _ name: String) throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file(name))
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> CommandLineDriver.Outcome {
        let outcome = try cli.roost(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
        return outcome
    }

    /// Creates the store `s` with texts that are difficult to write as tables, and the empty store `t`.
    private func prepare() throws {
        for store in ["s", "t"] { try run("init", store, "--model=lexical") }
        let long = String(repeating: "A sentence about swifts above the roof. ", count: 200)
        try write("# Tab\tand \\n backslash\n\n\(long)", "a.md")
        for text in ["=SUM(1) is\na formula", "'=quoted", "green tea, \"steeped\""] {
            try run("add", "--store=s", "--tag=garden;b", "--tag=c", "--meta=n=1", text)
        }
        try run("ingest", "--store=s", "a.md", "--tag=file")
    }

    /// Returns the entries of a store, without their positions in the source.
    private func entries(_ store: String) throws -> [NSDictionary] {
        let output = try run("export", "entries", "--jsonl", "--store", store).output
        return try output.split(separator: "\n").map { line in
            var entry = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            for key in ["location", "passages", "embeddings"] { entry[key] = nil }
            return entry as NSDictionary
        }
    }

    @Test(arguments: ["e.csv", "e.tsv", "v.csv", "r.csv"])
    func `An exported table is imported with identity, dates, tags and metadata`(name: String) throws {
        try prepare()
        let options = name == "v.csv" ? ["--with-embeddings"] : name == "r.csv" ? ["--raw"] : []
        #expect(try cli.roost(["export", "entries", "--store=s", "-o", name] + options).status == 0)
        #expect(try run("import", "--store=t", name).output.hasPrefix("4 new"))
        let (left, right) = (try entries("s"), try entries("t"))
        if name == "r.csv" {
            // Without apostrophes, a text that begins with one and a formula cannot be told apart.
            #expect(left.count == right.count)
        } else {
            #expect(left == right)
        }
        #expect(try run("import", "--store=t", name).output == "0 new, 0 updated, 4 unchanged\n")
        // The table has no passages, so those of the store are kept.
        #expect(try run("import", "--store=s", name).output == "0 new, 0 updated, 4 unchanged\n")
        #expect(try run("doctor", "--store=t").status == 0)
    }

    @Test(arguments: ["e.csv", "e.tsv"])
    func `A row whose content is empty does not replace a stored text`(name: String) throws {
        try prepare()
        try run("add", "--store=s", "NA")
        try run("export", "entries", "--store=s", "-o", name)
        // Data frames read the text as a missing value.
        let end = name == "e.csv" ? ",NA\r\n" : "\tNA\n"
        let table = try String(contentsOf: file(name), encoding: .utf8)
        #expect(table.contains(end))
        try write(table.replacing(end, with: end.replacing("NA", with: "")), name)
        for store in ["s", "t"] {
            let before = try entries(store)
            let outcome = try cli.roost("import", "--store", store, name)
            #expect(outcome.status == 65 && outcome.error.contains("its content is empty"), "\(outcome)")
            #expect(outcome.error.contains("keep_default_na=False"), "\(outcome)")
            #expect(try entries(store) == before)
        }
    }

    @Test func `TSV with quotation marks around its cells is refused with the reason`() throws {
        try prepare()
        try run("export", "entries", "--store=s", "-o", "q.tsv")
        let table = try String(contentsOf: file("q.tsv"), encoding: .utf8)
        let cell = #"{"n":"1"}"#
        #expect(table.contains(cell))
        try write(table.replacing(cell, with: #""{""n"":""1""}""#), "q.tsv")
        let outcome = try cli.roost("import", "--store=t", "q.tsv")
        #expect(outcome.status == 65 && outcome.error.contains("have no quotation marks"), "\(outcome)")
    }

    @Test func `The extension of the file chooses the format`() throws {
        try prepare()
        for (name, start) in [
            ("x.csv", "id,source,"), ("x.tsv", "id\tsource\t"), ("x.jsonl", "{\"content\""),
            ("x.json", "{\"schemaVersion\""), ("x.ndjson", "{\"content\""), ("x", "{\"schemaVersion\""),
        ] {
            try run("export", "entries", "--store=s", "-o", name)
            let text = try String(contentsOf: file(name), encoding: .utf8)
            #expect(text.hasPrefix(start), "\(name): \(text.prefix(40))")
        }
        try run("export", "entries", "--store=s", "-o", "y.csv", "--format=json")
        #expect(try String(contentsOf: file("y.csv"), encoding: .utf8).hasPrefix("{"))
        #expect(try cli.roost("export", "entries", "--store=s", "-o", "x.md").status == 64)
        #expect(try cli.roost("export", "clusters", "--store=s", "-o", "x.npy").status == 64)
    }

    @Test func `An export of vectors replaces no other table`() throws {
        try prepare()
        try write("precious,data\n", "v.csv")
        let refused = try cli.roost("export", "entries", "--store=s", "-o", "v.npy")
        #expect(refused.status == 73 && refused.error.contains("v.csv"), "\(refused)")
        #expect(try String(contentsOf: file("v.csv"), encoding: .utf8) == "precious,data\n")
        #expect(!FileManager.default.fileExists(atPath: file("v.npy").path))
        for _ in 0..<2 { try run("export", "entries", "--store=s", "--format=npy", "-o", "w.npy") }
        // A table without its vectors is not from an export of this name.
        try run("export", "entries", "--store=s", "-o", "u.csv")
        #expect(try cli.roost("export", "entries", "--store=s", "-o", "u.npy").status == 73)
    }

    @Test func `Markdown has the tags of the store, not those that were removed`() throws {
        for store in ["s", "t"] { try run("init", store, "--model=lexical") }
        try write("---\ntags: [party, birds]\n---\nThe wren sings.\n", "wren.md")
        try run("ingest", "--store=s", "wren.md")
        let id = try run("list", "--store=s", "--template={id}").output.trimmingCharacters(in: .newlines)
        try run("tag", id, "+art", "-birds", "--store=s")
        try run("export", "entries", "--format=markdown", "-o", "notes", "--store=s")
        try run("ingest", "--store=t", "notes")
        for store in ["s", "t"] {
            let tags = try run("list", "--template={tags}", "--store", store).output
                .trimmingCharacters(in: .newlines).split(separator: ";")
            #expect(Set(tags) == ["party", "art"], "\(store)")
        }
    }

    @Test func `Dates in the forms of spreadsheets and data frames are read`() throws {
        try run("init", "t", "--model=lexical")
        let header = "id,source,key,title,tags,createdAt,updatedAt,metadata,content\n"
        let dates = "2023-11-14 22:13:27.608000+00:00,14 March 2025"
        try write(header + "7C9A9FD0-6C35-4F4B-8D13-9C1B2E5F0A11,,,,,\(dates),{},x\n", "d.csv")
        try run("import", "--store=t", "d.csv")
        let listed = try run("list", "--store=t", "--format=csv").output
        #expect(listed.contains(",2023-11-14T22:13:27.608Z,2025-03-14T00:00:00.000Z"), "\(listed)")
    }

    @Test func `A NumPy file is imported with the table of the same name`() throws {
        try prepare()
        try run("export", "entries", "--store=s", "-o", "w.npy")
        #expect(try run("import", "--store=t", "w.npy").output.hasPrefix("4 new"))
        #expect(try entries("s") == (try entries("t")))
        try FileManager.default.removeItem(at: file("w.csv"))
        let alone = try cli.roost("import", "--store=t", "w.npy")
        #expect(alone.status == 66 && alone.error.contains("w.csv"), "\(alone)")
        try write("id,text\n1,one\n", "w.csv")
        #expect(try cli.roost("import", "--store=t", "w.npy").status == 65)
    }

    @Test(arguments: [
        ("plain.csv", "id,text\n1,one\n"), ("plain.tsv", "id\ttext\n1\tone\n"),
        ("plain.jsonl", "{\"id\": \"1\", \"text\": \"one\"}\n"),
    ])
    func `Rows without vectors lead to ingest`(name: String, text: String) throws {
        try write(text, name)
        let outcome = try cli.roost("import", "--store=none", name)
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.error.contains("the rows have no vectors; use `roost ingest \(name)`"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: file("none").path))
    }

    @Test(arguments: [
        ("no-uuid,,,,,T,T,{},x", "its id is not a UUID"), ("I,,,,,,T,{},x", "its createdAt"),
        ("I,,,,,T,T,[],x", "its metadata is not a JSON object"), ("I,x", "it has 2 fields"),
    ])
    func `A faulty row of a table is named`(row: String, fault: String) throws {
        let header = "id,source,key,title,tags,createdAt,updatedAt,metadata,content\n"
        let text = row.replacing("I,", with: "7C9A9FD0-6C35-4F4B-8D13-9C1B2E5F0A11,")
            .replacing("T,", with: "2026-01-31T09:00:00.000Z,")
        try write(header + text + "\n", "bad.csv")
        let outcome = try cli.roost("import", "--store=none", "bad.csv")
        #expect(outcome.status == 65 && outcome.error.contains("line 2: \(fault)"), "\(outcome)")
    }

    @Test func `Cells are changed with a note, and --raw keeps them`() throws {
        try prepare()
        for command in [["list"], ["query", "formula", "--all"], ["duplicates", "--threshold=0.01"]] {
            let escaped = try cli.roost(command + ["--format=csv", "--store=s"])
            let raw = try cli.roost(command + ["--format=csv", "--raw", "--store=s"])
            guard raw.output.contains("=SUM") else { continue }
            #expect(escaped.output.contains("'=SUM") && !raw.output.contains("'=SUM"), "\(command)")
            #expect(escaped.error.contains("--raw omits it") && !raw.error.contains("--raw"), "\(command)")
            #expect(try cli.roost(command + ["--raw", "--store=s"]).status == 64)
        }
        #expect(try run("list", "--format=csv", "--raw", "--store=s").output.contains("=SUM"))
        #expect(try run("export", "entries", "--format=csv", "--store=s").error.contains("--raw omits it"))
    }

    @Test func `Paths are exact in lists for programs, and only entries of files have one`() throws {
        try run("init", "s", "--model=lexical")
        let name = "tab\tand\nline.md"
        try write("swifts above the roof", name)
        try run("ingest", "--store=s", name)
        try run("add", "--store=s", "swifts above the tower")
        for command in [["list", "--format=paths"], ["query", "swifts", "--all", "-l"]] {
            let outcome = try cli.roost(command + ["--store=s"])
            #expect(outcome.output == name + "\n", "\(command): \(outcome)")
            #expect(outcome.error.contains("omitted 1 entry without a file"), "\(outcome.error)")
        }
        #expect(try run("list", "--format=csv", "--store=s").output.contains(",\"\(name)\","))
        #expect(try run("list", "--format=tsv", "--store=s").output.contains("\ttab\\tand\\nline.md\t"))
    }
}
