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
        let output = try run("export", "entries", "--format=jsonl", "--store", store).output
        return try output.split(separator: "\n").map { line in
            var entry = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            for key in ["location", "passages", "embeddings"] { entry[key] = nil }
            return entry as NSDictionary
        }
    }

    @Test(arguments: ["e.csv", "e.tsv", "v.csv"])
    func `An exported table is imported with identity, dates, tags and metadata`(name: String) throws {
        try prepare()
        let options = name == "v.csv" ? ["--with-embeddings"] : []
        #expect(try cli.roost(["export", "entries", "--store=s", "-o", name] + options).status == 0)
        #expect(try run("import", "--store=t", name).output.hasPrefix("4 new"))
        #expect(try entries("s") == (try entries("t")))
        #expect(try run("import", "--store=t", name).output == "0 new, 0 updated, 4 unchanged\n")
        #expect(try run("doctor", "--store=t").status == 0)
    }

    @Test func `The extension of the file chooses the format`() throws {
        try prepare()
        for (name, start) in [
            ("x.csv", "id,source,"), ("x.tsv", "id\tsource\t"), ("x.jsonl", "{\"content\""),
            ("x.json", "{\"schemaVersion\""), ("x", "{\"schemaVersion\""),
        ] {
            try run("export", "entries", "--store=s", "-o", name)
            let text = try String(contentsOf: file(name), encoding: .utf8)
            #expect(text.hasPrefix(start), "\(name): \(text.prefix(40))")
        }
        try run("export", "entries", "--store=s", "-o", "y.csv", "--format=json")
        #expect(try String(contentsOf: file("y.csv"), encoding: .utf8).hasPrefix("{"))
        for name in ["x.md", "x.csv.gz"] {
            #expect(try cli.roost("export", "entries", "--store=s", "-o", name).status == 64)
        }
    }

    @Test func `An export of vectors replaces no other table`() throws {
        try prepare()
        try write("precious,data\n", "v.csv")
        let refused = try cli.roost("export", "entries", "--store=s", "-o", "v.npy")
        #expect(refused.status == 73 && refused.error.contains("v.csv"), "\(refused)")
        #expect(try String(contentsOf: file("v.csv"), encoding: .utf8) == "precious,data\n")
        #expect(!FileManager.default.fileExists(atPath: file("v.npy").path))
        for _ in 0..<2 { try run("export", "entries", "--store=s", "--format=npy", "-o", "w.npy") }
    }

    @Test func `Markdown has the tags and values of the store, not those that were removed`() throws {
        for store in ["s", "t"] { try run("init", store, "--model=lexical") }
        try write("---\ntags: [party, birds]\nyear: 2024\n---\nThe wren sings.\n", "wren.md")
        try run("ingest", "--store=s", "wren.md")
        try run("edit", "wren.md", "--add-tag=art", "--remove-tag=birds", "--meta=year=2025", "--store=s")
        try run("export", "entries", "--format=markdown", "-o", "notes", "--store=s")
        try run("ingest", "--store=t", "notes")
        let listed = try run("list", "--where", "year=2025", "--format=tsv", "--store=t").output
        #expect(listed.contains("party") && listed.contains("art") && !listed.contains("birds"), "\(listed)")
        #expect(try run("show", "notes/The wren sings.md", "--store=t").output.contains("The wren sings."))
    }

    @Test func `Cells that a spreadsheet would run are changed with a note`() throws {
        try prepare()
        for command in [["list"], ["query", "formula", "--all"]] {
            let escaped = try cli.roost(command + ["--format=csv", "--store=s"])
            #expect(escaped.output.contains("'=SUM"), "\(command)")
            #expect(escaped.error.contains("got an apostrophe"), "\(command)")
        }
    }

    @Test func `Paths are exact in lists for programs, and only entries of files have one`() throws {
        try run("init", "s", "--model=lexical")
        let name = "tab\tand\nline.md"
        try write("swifts above the roof", name)
        try run("ingest", "--store=s", name)
        try run("add", "--store=s", "swifts above the tower")
        for command in [["list", "--format=paths"], ["query", "swifts", "--all", "--format=paths"]] {
            let outcome = try cli.roost(command + ["--store=s"])
            #expect(outcome.output == name + "\n", "\(command): \(outcome)")
            #expect(outcome.error.contains("omitted 1 entry without a file"), "\(outcome.error)")
        }
        #expect(try run("list", "--format=csv", "--store=s").output.contains(",\"\(name)\","))
        #expect(try run("list", "--format=tsv", "--store=s").output.contains("\ttab\\tand\\nline.md\t"))
    }
}
