import Foundation
import TestSupport
import Testing

@Suite(.temporaryFolders) struct CommandLineTests {
    private let cli = CommandLineDriver()

    @Test(arguments: ["sqlite", "json"])
    func `a store can be created, ingested, searched, clustered, exported and imported`(provider: String)
        throws
    {
        #expect(try cli.roost("init", "--provider", provider).status == 0)
        let notes = Fixtures.folder.appendingPathComponent("notes").path
        #expect(
            try cli.roost("ingest", notes, "-q").output
                == "311 new, 0 updated, 0 removed, 0 unchanged, 0 skipped\n")
        #expect(
            try cli.roost("ingest", notes, "-q").output
                == "0 new, 0 updated, 0 removed, 311 unchanged, 0 skipped\n")
        let query = try cli.roost("query", "kestrel hovered over the verge", "-n", "2", "--json")
        let hits = try #require(
            try JSONSerialization.jsonObject(with: Data(query.output.utf8)) as? [[String: Any]])
        #expect(hits.count == 2)
        for key in ["id", "score", "text", "metadata"] { #expect(hits[0][key] != nil) }
        #expect((hits[0]["text"] as? String)?.contains("kestrel") == true)
        #expect(try cli.roost("recluster", "--clusters", "11", "--seed", "1").status == 0)
        let file = cli.home.appendingPathComponent("clusters.json")
        #expect(try cli.roost("export", "clusters", "-o", file.path).status == 0)
        try validate(file)
        let backup = cli.home.appendingPathComponent("entries.jsonl").path
        #expect(
            try cli.roost("export", "entries", "--format", "jsonl", "--with-embeddings", "-o", backup).status
                == 0
        )
        #expect(
            try cli.roost("import", backup, "--store", "copy").output == "311 new, 0 updated, 0 unchanged\n")
        let again = try cli.roost(
            "export", "entries", "--format", "jsonl", "--with-embeddings", "--store", "copy")
        #expect(try again.output == String(contentsOfFile: backup, encoding: .utf8))
    }

    @Test(arguments: [["watch"], ["watch", "--store=s"], ["quer", "birds"]])
    func `an unknown command is named`(arguments: [String]) throws {
        let outcome = try cli.roost(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.error == "roost: unknown command '\(arguments[0])'; see `roost help`\n")
    }

    @Test func `the help shows at most 26 commands on one screen`() throws {
        let lines = try cli.roost("--help").output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 50)
        let start = try #require(lines.firstIndex { $0.hasPrefix("TEXTS") })
        #expect(lines[start...].count { $0.hasPrefix("  ") && !$0.hasPrefix("   ") } - 1 == 26)
    }

    @Test func `clusters are printed with a header, and filter queries`() throws {
        let notes = Fixtures.folder.appendingPathComponent("notes").path
        #expect(try cli.roost("ingest", notes, "-q").status == 0)
        let made = try cli.roost("recluster", "--clusters", "30", "--seed", "1")
        let lines = made.output.split(separator: "\n")
        #expect(made.status == 0 && lines[0].contains("size") && lines[0].contains("label"))
        #expect(lines.count == 31 && lines[1].contains(" ###"), "\(made.output)")
        #expect(made.error.contains("30 clusters of 311 entries"), "\(made.error)")
        let flat = try cli.roost("cluster", "list", "--flat").output.split(separator: "\n")
        #expect(flat.count == 31 && flat[0].contains("cohesion"))
        let listed = try cli.roost("cluster", "list", "--json")
        let clusters = try #require(
            try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]])
        let id = try #require(clusters.first?["id"] as? String)
        let shown = try cli.roost("cluster", "show", id)
        #expect(shown.output.contains("Representative entries:"), "\(shown.output)\(shown.error)")
        let size = clusters.first?["size"] as? Int
        let found = try cli.roost("list", "--cluster", id, "-n", "311", "--json")
        let entries = try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [Any]
        #expect(entries?.count == size && size ?? 0 > 1)
    }

    /// Validates a file against `Documentation/Schemas/clusters.schema.json` with Debian's
    /// python3-jsonschema.
    func validate(_ file: URL) throws {
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        let schema = Fixtures.repository.appendingPathComponent(
            "Documentation/Schemas/clusters.schema.json")
        let process = Process()
        process.executableURL = python
        process.arguments = [
            "-c",
            "import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))",
            schema.path, file.path,
        ]
        let error = Pipe()
        process.standardError = error
        try TestTool.start(process)
        let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text.suffix(600))")
    }

    @Test func `invalid input is reported in one line with its exit status`() throws {
        let odd = Fixtures.folder.appendingPathComponent("odd").path
        #expect(try cli.roost("query", "x").status == 66)
        #expect(try cli.roost("add", "  ").status == 65)
        #expect(try cli.roost("add", "a swift").status == 0)
        for (arguments, status, words) in [
            (["ingest", "nowhere"], 66, "nowhere"), (["ingest", odd + "/binary.txt"], 65, "binary"),
            (["similar", "none.txt"], 66, "none.txt"),
            (["cluster", "diff"], 66, "recluster"),
            (["cluster", "label", "x", "y"], 66, "recluster"),
            (["ingest", odd + "/table.csv", "--text-column", "no"], 65, "'no'"),
            (["recluster", "--clusters", "9"], 64, "9 clusters"), (["query", " "], 65, "empty"),
            (["show", "zz"], 66, "no entry has the id, path or key 'zz'"),
            (["show", UUID().uuidString], 66, "no entry"), (["remove", UUID().uuidString], 66, "no entry"),
            (["query", "x", "--cluster", "c"], 66, "no clusters"), (["import", "nowhere"], 66, "nowhere"),
            (["import", odd + "/crlf.md"], 65, "crlf.md"), (["config", "colour", "blue"], 64, "colour"),
            (["init", "--model", "none"], 69, "none"), (["model", "add", odd], 69, "config.json"),
        ] as [([String], Int32, String)] {
            let outcome = try cli.roost(arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome.error)")
            #expect(outcome.error.contains(words), "\(arguments): \(outcome.error)")
            #expect(outcome.error.split(separator: "\n").count == 1, "\(arguments): \(outcome.error)")
        }
        #expect(try cli.roost("list").output.split(separator: "\n").count == 1)
    }

    @Test func `a corrupt or newer manifest is refused`() throws {
        #expect(try cli.roost("init", "s").status == 0)
        let manifest = cli.home.appendingPathComponent("s/store.json")
        for (text, words) in [("{\"format\": 99}", "upgrade Roost"), ("{", "damaged"), ("", "damaged")] {
            try Data(text.utf8).write(to: manifest)
            let outcome = try cli.roost("list", "--store", "s")
            #expect(outcome.status == 65)
            #expect(outcome.error.contains(words))
        }
    }

    @Test func `lines of standard input become entries once`() throws {
        #expect(try cli.roost("ingest", "-", "-q", input: "one\ntwo\n\n").output.hasPrefix("2 new"))
        #expect(
            try cli.roost("ingest", "-", "-q", input: "two\nthree\n").output.hasPrefix(
                "1 new, 0 updated, 0 removed, 1 unchanged"))
        #expect(try cli.roost("ingest", "-", input: "").status == 66)
        #expect(try cli.roost("list").output.split(separator: "\n").count == 3)
    }

    @Test func `commands that create the same store at once share it`() throws {
        let commands = try (0..<4).map { try cli.start(["add", "text number \($0)"]) }
        for command in commands { #expect(try command.outcome().status == 0) }
        #expect(try cli.roost("list").output.split(separator: "\n").count == 4)
    }

    @Test(.enabled(if: getuid() == 0, "requires root, which can change the owner of a file"))
    func `a store of another user is not opened by searching parent folders`() throws {
        #expect(try cli.roost("add", "a swift", "--store", ".roost").status == 0)
        #expect(chown(cli.home.appendingPathComponent(".roost/store.json").path, 12_345, 12_345) == 0)
        let outcome = try cli.roost("list")
        #expect(outcome.status == 78)
        #expect(outcome.error.contains("another user owns"))
        #expect(try cli.roost("list", "--store", ".roost").status == 0)
    }

    @Test func `the largest possible limit returns all entries`() throws {
        for text in ["one swift", "two swifts"] { #expect(try cli.roost("add", text).status == 0) }
        let all = try cli.roost("query", "swift", "-n", "9223372036854775807")
        #expect(all.status == 0)
        #expect(try cli.roost("list", "-n", "9223372036854775807").status == 0)
        let id = try cli.roost("list").output.prefix(8)
        #expect(try cli.roost("similar", String(id), "-n", "9223372036854775807").status == 0)
    }
}
