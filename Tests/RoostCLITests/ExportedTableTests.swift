import Foundation
import TestSupport
import Testing

/// Tests of exports as tables, and of imports.
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
        let output = try run("export", "entries", "--store", store).output
        return try output.split(separator: "\n").map { line in
            var entry = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            for key in ["location", "passages", "embeddings"] { entry[key] = nil }
            return entry as NSDictionary
        }
    }

    @Test(arguments: ["e.csv", "v.jsonl"])
    func `exported entries are imported with identity, dates, tags and metadata`(name: String) throws {
        try prepare()
        let options = name.hasPrefix("v") ? ["--with-embeddings"] : []
        #expect(try cli.roost(["export", "entries", "--store=s", "-o", name] + options).status == 0)
        let first = try run("import", "--store=t", name)
        #expect(first.output.hasPrefix("4 new"))
        #expect(first.error.contains("embedded 4 entries") == (name != "v.jsonl"), "\(first)")
        #expect(try entries("s") == entries("t"))
        #expect(try run("import", "--store=t", name).output == "0 new, 0 updated, 4 unchanged\n")
    }

    @Test func `the extension of the file chooses the format`() throws {
        try prepare()
        for (name, start) in [("x.csv", "id,source,"), ("x.ndjson", "{\"content\""), ("x", "{\"content\"")] {
            try run("export", "entries", "--store=s", "-o", name)
            let text = try String(contentsOf: file(name), encoding: .utf8)
            #expect(text.hasPrefix(start), "\(name): \(text.prefix(40))")
        }
        #expect(try cli.roost("export", "entries", "--store=s", "-o", "x.parquet").status == 64)
    }

    @Test func `an export of vectors replaces no other table`() throws {
        try prepare()
        try write("precious,data\n", "v.csv")
        let refused = try cli.roost("export", "entries", "--store=s", "-o", "v.npy")
        #expect(refused.status == 73 && refused.error.contains("v.csv"), "\(refused)")
        #expect(try String(contentsOf: file("v.csv"), encoding: .utf8) == "precious,data\n")
        #expect(!FileManager.default.fileExists(atPath: file("v.npy").path))
        for _ in 0..<2 { try run("export", "entries", "--store=s", "--format=npy", "-o", "w.npy") }
        let array = try Data(contentsOf: file("w.npy"))
        #expect(String(decoding: array.prefix(128), as: UTF8.self).contains("(4, 512)"))
    }
        import sqlite3
        db = sqlite3.connect("embeddings.db")
        db.execute("CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT, model TEXT)")
        db.execute("CREATE TABLE embeddings (collection_id INTEGER, id TEXT, embedding BLOB, content TEXT, "
                   "content_blob BLOB, content_hash BLOB, metadata TEXT, updated INTEGER, "
                   "PRIMARY KEY (collection_id, id))")
        db.execute("INSERT INTO collections VALUES (1, 'notes', 'm')")
        for number, text in enumerate(["a swift", "green tea", None]):
            db.execute("INSERT INTO embeddings VALUES (1, ?, x'0000803f', ?, NULL, NULL, ?, 1700000000)",
                       ("key%d" % number, text, '{"n": %d}' % number))
        db.commit()
        """
}
