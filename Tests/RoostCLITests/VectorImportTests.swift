import Foundation
import TestSupport
import Testing

/// Tests of exports for other programs, and of imports of their texts with vectors.
@Suite(.temporaryFolders) struct VectorImportTests {
    private let cli = CommandLineDriver()
    private static let texts = ["a swift above the roof", "green tea, \"steeped\"", "=SUM(1) is\na formula"]

    /// Creates the stores `s`, with three texts, and `t`.
    private func prepare() throws {
        for store in ["s", "t"] {
            #expect(try cli.roost("init", store, "--model=lexical").status == 0)
        }
        for (number, text) in Self.texts.enumerated() {
            #expect(
                try cli.roost(["add", "--store=s", "--tag=t\(number)", "--meta=n=\(number)", text]).status
                    == 0)
        }
    }

    private func run(_ arguments: String...) throws -> CommandLineDriver.Outcome {
        let outcome = try cli.roost(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
        return outcome
    }

    private static func utf16(_ text: String) -> Data {
        Data([0xFF, 0xFE]) + (text.data(using: .utf16LittleEndian) ?? Data())
    }

    private func file(_ name: String) -> URL { cli.home.appendingPathComponent(name) }

    /// Returns the vectors of a store by their texts.
    private func vectors(_ store: String) throws -> [String: [Double]] {
        let json = try run("export", "entries", "--with-embeddings", "--store", store).output
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let entries = try #require(object?["entries"] as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: entries.map {
                ($0["content"] as? String ?? "", $0["embeddings"] as? [Double] ?? [])
            })
    }

    private func expectEqual(_ left: [String: [Double]], _ right: [String: [Double]]) {
        #expect(left.count == right.count && Set(left.keys) == Set(right.keys))
        for (text, vector) in left {
            let other = right[text] ?? []
            let distance = zip(vector, other).map { abs($0 - $1) }.max() ?? 1
            #expect(vector.count == other.count && distance < 1e-6, "\(text): \(distance)")
        }
    }

    @Test func `CSV with vectors is imported with its texts and vectors, once`() throws {
        try prepare()
        _ = try run(
            "export", "entries", "--store=s", "--format=csv", "--with-embeddings", "-o", "e.csv")
        let first = try run("import", "--store=t", "e.csv")
        #expect(first.output == "3 new, 0 updated, 0 unchanged\n" && first.error.isEmpty, "\(first)")
        expectEqual(try vectors("s"), try vectors("t"))
        #expect(try run("import", "--store=t", "e.csv").output == "0 new, 0 updated, 3 unchanged\n")
        #expect(try run("doctor", "--store=t").status == 0)
    }

    @Test func `vectors of another model are replaced, and faulty rows are named`() throws {
        try prepare()
        let rows = Self.texts.prefix(2).map { "{\"text\": \(String(reflecting: $0)), \"vector\": [1, 0, 0]}" }
        try Data(rows.joined(separator: "\n").utf8).write(to: file("v.jsonl"))
        let outcome = try run("import", "--store=t", "v.jsonl")
        #expect(outcome.error.contains("the vectors are of another model; "), "\(outcome.error)")
        #expect(outcome.error.contains("`roost init --model`"), "\(outcome.error)")
        let own = try vectors("s").filter { Self.texts.prefix(2).contains($0.key) }
        expectEqual(own, try vectors("t"))
        for (row, fault) in [
            ("{\"text\": \"a\", \"vector\": [1, \"x\"]}", "line 2: its vector"),
            ("{\"text\": \" \", \"vector\": [1]}", "line 2: it has no text"),
            ("{\"text\": null, \"vector\": [1]}", "line 2: it has no text"),
            ("[", "line 2: its syntax is invalid"),
        ] {
            try Data((rows[0] + "\n" + row).utf8).write(to: file("bad.jsonl"))
            let outcome = try cli.roost("import", "--store=new", "bad.jsonl")
            #expect(outcome.status == 65 && outcome.error.contains(fault), "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: file("new").path))
        }
    }

    @Test(arguments: [
        ("mark.csv", "\u{FEFF}id,text,embedding\r\nfirst,one,\"[1, 2]\"\r\n"),
        ("semicolons.csv", "id;text;embedding\nfirst;one;\"[1, 2]\"\n"),
        ("tabs.tsv", "id\ttext\tembedding\nfirst\tone\t1 2\n"),
        ("rows", "id,text,embedding\nfirst,one,1 2\n"),
    ])
    func `Tables are recognized by their first line, with the ids of their rows`(
        name: String, text: String
    ) throws {
        try prepare()
        try Data(text.utf8).write(to: file(name))
        #expect(try run("import", "--store=t", name).output == "1 new, 0 updated, 0 unchanged\n")
        let listed = try run("list", "--store=t", "--json").output
        #expect(listed.contains("\"key\":\"first\""), "\(listed)")
    }

    @Test func `Exported entries in UTF-16 are read`() throws {
        try prepare()
        let json = try run("export", "entries", "--store=s").output
        try Self.utf16(json).write(to: file("e.json"))
        #expect(try run("import", "--store=t", "e.json").output == "3 new, 0 updated, 0 unchanged\n")
    }

    /// Creates a database of `llm` from a file with texts and vectors (Python's standard library).
    private static let script = """
        import csv, json, sqlite3, struct, sys
        rows = list(csv.DictReader(open("e.csv", newline="")))
        db = sqlite3.connect("embeddings.db")
        db.execute("CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT, model TEXT)")
        db.execute("CREATE TABLE embeddings (collection_id INTEGER, id TEXT, embedding BLOB, content TEXT, "
                   "content_blob BLOB, content_hash BLOB, metadata TEXT, updated INTEGER, "
                   "PRIMARY KEY (collection_id, id))")
        db.execute("INSERT INTO collections VALUES (1, 'notes', 'lexical')")
        for number, row in enumerate(rows):
            vector = json.loads(row["embedding"])
            db.execute("INSERT INTO embeddings VALUES (1, ?, ?, ?, NULL, NULL, ?, 1700000000)", (
                "key%d" % number, struct.pack("<%df" % len(vector), *[3 * x for x in vector]), row["content"],
                json.dumps({"n": number})))
        db.execute("INSERT INTO embeddings VALUES (1, 'empty', x'0000803f', NULL, NULL, NULL, NULL, 1)")
        db.commit()
        """

    @Test func `the database of llm is imported with its keys, texts and vectors`() throws {
        try prepare()
        _ = try run(
            "export", "entries", "--store=s", "--format=csv", "--with-embeddings", "-o", "e.csv")
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = ["-c", Self.script]
        python.currentDirectoryURL = cli.home
        try TestTool.start(python)
        python.waitUntilExit()
        #expect(python.terminationStatus == 0)
        let first = try run("import", "--store=t", "embeddings.db")
        #expect(first.output == "3 new, 0 updated, 0 unchanged\n", "\(first)")
        #expect(first.error.contains("skipped 1 vector ") && first.error.contains("imported 3 vectors"))
        expectEqual(try vectors("s"), try vectors("t"))
        #expect(try run("import", "--store=t", "embeddings.db").output == "0 new, 0 updated, 3 unchanged\n")
        let listed = try run("list", "--store=t", "--where", "n=1", "--json").output
        #expect(listed.contains("\"key\":\"key1\"") && listed.contains("2023-11-14"), "\(listed)")
        // The round trip through JSON Lines keeps the keys, texts and vectors.
        _ = try run("export", "entries", "--store=t", "--format=jsonl", "--with-embeddings", "-o", "t.jsonl")
        #expect(try cli.roost("init", "u", "--model=lexical").status == 0)
        #expect(try run("import", "--store=u", "t.jsonl").output.hasPrefix("3 new"))
        let all = ["export", "entries", "--with-embeddings", "--format=jsonl"]
        #expect(try cli.roost(all + ["--store=t"]).output == cli.roost(all + ["--store=u"]).output)
        let ignored = try run("import", "--store=u", "embeddings.db", "--ignore-vectors")
        #expect(ignored.error.contains("--ignore-vectors was given"))
        let other = try cli.roost("import", "--store=u", "s/roost.sqlite")
        #expect(other.status == 65 && other.error.contains("not a database of llm or Chroma"), "\(other)")
    }

    @Test func `entries are exported as CSV, a NumPy array and a folder, with filters`() throws {
        try prepare()
        let csv = try run("export", "entries", "--store=s", "--format=csv", "--tag=t2").output
        #expect(
            csv.contains("\"'=SUM(1) is\na formula\"") && csv.contains("\"{\"\"n\"\":\"\"2\"\"}\""), "\(csv)")
        #expect(!csv.contains("swift"))
        _ = try run("export", "entries", "--store=s", "--format=npy", "-o", "v.npy")
        let array = try Data(contentsOf: file("v.npy"))
        let dimension = try vectors("s").values.first?.count ?? 0
        #expect(array.count % 64 == (3 * dimension * 4) % 64)
        #expect(String(decoding: array.prefix(128), as: UTF8.self).contains("(3, \(dimension))"))
        #expect(try String(contentsOf: file("v.csv"), encoding: .utf8).contains("a swift above the roof"))
        #expect(try cli.roost("export", "entries", "--store=s", "--format=npy").status == 64)
        _ = try run("export", "entries", "--store=s", "--format=markdown", "-o", "notes")
        let names = try FileManager.default.contentsOfDirectory(atPath: file("notes").path)
        #expect(names.count == 3 && names.contains("a swift above the roof.md"), "\(names)")
        let again = try cli.roost("export", "entries", "--store=s", "--format=markdown", "-o", "notes")
        #expect(again.status == 73 && again.error.contains("not an empty folder"))
        // The files have the tags and metadata of the entries.
        #expect(try run("ingest", "--store=t", "notes").output.hasPrefix("3 new"))
        #expect(try run("list", "--store=t", "--where", "n=2").output.contains("SUM"))
        #expect(try run("list", "--store=t", "--tag=t0", "--format=paths").output.contains("a swift"))
    }
}
