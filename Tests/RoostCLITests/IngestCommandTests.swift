import Foundation
import TestSupport
import Testing

/// Tests of the commands `ingest`, `add`, `import`, `export` and `config`.
@Suite(.temporaryFolders) struct IngestCommandTests {
    let commands = CommandLineDriver()
    private var home: URL { commands.home }

    private func write(_ text: String, to path: String) throws {
        let file = home.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func listed(_ extra: String...) throws -> [[String: Any]] {
        let output = try commands.start(["list", "--json"] + extra)
        try output.input.close()
        let data = Data(try output.outcome().output.utf8)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    }

    private func texts() throws -> Set<String> { Set(try listed().compactMap { $0["content"] as? String }) }

    @Test func `a dry run creates no store and reports what would change`() throws {
        try write("a swift", to: "notes/a.md")
        let outcome = try commands.roost("ingest", "notes", "--dry-run")
        #expect(outcome.output == "dry run: 1 new, 0 updated, 0 removed, 0 unchanged, 0 skipped\n")
        #expect(try commands.roost("list").status == 66)
        #expect(try commands.roost("ingest", "notes").status == 0)
        try write("two swifts", to: "notes/a.md")
        #expect(try commands.roost("ingest", "notes", "--dry-run").output.contains("1 updated"))
        #expect(try texts() == ["a swift"])
    }

    @Test(arguments: ["", "\n \n"]) func `empty standard input creates no store`(text: String) throws {
        let ingest = try commands.start(["ingest", "-"])
        try ingest.input.write(contentsOf: Data(text.utf8))
        try ingest.input.close()
        let outcome = try ingest.outcome()
        #expect(outcome.status == 66 && outcome.error.contains("standard input is empty"), "\(outcome)")
        #expect(try commands.roost("list").status == 66)
    }

    @Test func `skipped files are listed in every run`() throws {
        try write("a swift", to: "notes/a.md")
        try write("\u{0}\u{1}", to: "notes/b.md")
        for _ in 0..<2 {
            let outcome = try commands.roost("ingest", "notes")
            #expect(outcome.error.contains("b.md"), "\(outcome.error)")
        }
    }

    @Test func `patterns include and exclude files`() throws {
        for name in ["a.md", "b.txt", "deep/c.md", "deep/old/d.md", "e.unknown"] {
            try write("text of \(name)", to: "notes/\(name)")
        }
        #expect(try commands.roost("ingest", "notes", "--exclude", "deep/old/**").status == 0)
        #expect(try texts() == ["text of a.md", "text of b.txt", "text of deep/c.md"])
        #expect(
            try commands.roost("ingest", "notes", "--glob", "**/*.unknown").output.hasPrefix("1 new"))
        let list = "notes/a.md\nnotes/deep/old/d.md\n"
        #expect(
            try commands.roost("ingest", "--files-from", "-", input: list).output.hasPrefix(
                "1 new, 0 updated, 0 removed, 1 unchanged"))
        let zeros = list.replacing("\n", with: "\0")
        #expect(
            try commands.roost("ingest", "--files-from", "-", input: zeros).output.hasPrefix(
                "0 new, 0 updated, 0 removed, 2 unchanged"))
        let missing = try commands.roost("ingest", "--files-from", "no-list")
        #expect(missing.status == 66 && missing.error.contains("no-list: No such file"))
    }

    @Test func `tables with commas and with tabs are read`() throws {
        try write("id\tbody\tyear\n1\ta, b\t1999\n2\tc\t2001\n", to: "t.tsv")
        let outcome = try commands.roost("ingest", "t.tsv", "--text-column", "body")
        #expect(outcome.output.hasPrefix("2 new"))
        #expect(try texts() == ["a, b", "c"])
        let years = try listed("--where", "year=1999")
        #expect(years.count == 1)
        try write("id,text\r\n1,one\r\n", to: "t.csv")
        #expect(try commands.roost("ingest", "t.csv").output.hasPrefix("1 new"))
        // The table of a spreadsheet: semicolons, and U+00FC in windows-1252.
        let table = Data("text;year\nold M".utf8) + [0xFC] + Data("nze;2024\nnew coin;2025\n".utf8)
        try table.write(to: home.appendingPathComponent("s.csv"))
        #expect(try commands.roost("ingest", "s.csv").output.hasPrefix("2 new"))
        #expect(try texts().contains("old Münze"))
    }

    @Test func `adding a text again preserves tags and metadata`() throws {
        #expect(try commands.roost("add", "a swift", "--meta", "colour=black").status == 0)
        let refused = try commands.roost("add", "a tern", "--meta", "kind=message")
        #expect(refused.status == 64 && refused.error.contains("use another key"), "\(refused)")
        #expect(try commands.roost("add", "a swift", "--tag", "birds").status == 0)
        let entry = try #require(try listed().first)
        #expect((entry["metadata"] as? [String: String])?["colour"] == "black")
        #expect(entry["tags"] as? [String] == ["birds"])
        // After an edit, the original text can be added again, and the edited entry stays.
        let id = try #require(entry["id"] as? String)
        #expect(try commands.roost("edit", id, "--text", "a swift in May").status == 0)
        #expect(try commands.roost("add", "a swift").status == 0)
        #expect(try texts() == ["a swift", "a swift in May"])
    }

    @Test func `an import with an invalid entry changes nothing`() throws {
        #expect(try commands.roost("add", "a swift").status == 0)
        let id = UUID().uuidString
        for (text, words) in [
            ("{\"id\": \"\(id)\", \"content\": \"x\"}\n{\"id\": 5}\n", "line 2"),
            ("{\"content\": \"x\"\n", "line 1"), ("[1]", "line 1"),
        ] {
            try write(text, to: "bad.jsonl")
            let outcome = try commands.roost("import", "bad.jsonl")
            #expect(outcome.status == 65, "\(outcome.error)")
            #expect(outcome.error.contains(words), "\(outcome.error)")
            #expect(try texts() == ["a swift"])
        }
        try FileManager.default.createDirectory(
            at: home.appendingPathComponent("folder"), withIntermediateDirectories: true)
        let folder = try commands.roost("import", "folder")
        #expect(folder.status == 65 && folder.error.contains("is a folder"))
    }

    @Test func `settings apply and are validated`() throws {
        #expect(try commands.roost("config", "provider", "json").status == 0)
        #expect(try commands.roost("config", "limit", "1").status == 0)
        for text in ["a swift", "two swifts"] { #expect(try commands.roost("add", text).status == 0) }
        #expect(try commands.roost("status").output.contains("(json"))
        #expect(try commands.roost("query", "swift", "--all").output.split(separator: "\n").count == 1)
        #expect(try commands.roost("query", "swift", "--all", "-n2").output.split(separator: "\n").count == 2)
        #expect(try commands.roost("query", "swift", "--min-score", "0", "-n", "5", "--json").status == 0)
        let wrong = try commands.roost("config", "limit", "many")
        #expect(wrong.status == 78 && wrong.error.contains("many"))
        // An invalid setting affects only commands that use it.
        let file = home.appendingPathComponent(".config/roost/config.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "\"1\"", with: "\"many\"").utf8).write(to: file)
        #expect(try commands.roost("list").status == 0)
        #expect(try commands.roost("query", "swift").status == 78)
    }

    @Test func `the default folder of the published guide is in the user's documents`() throws {
        let running = Process()
        running.executableURL = CommandLineDriver.binary.deletingLastPathComponent()
            .appendingPathComponent("storage-worker")
        running.arguments = ["default-folder"]
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        running.environment = ["HOME": home.path, "CFFIXED_USER_HOME": home.path]
        try TestTool.start(running)
        running.waitUntilExit()
        #expect(running.terminationStatus == 0)
        let entries = home.appendingPathComponent("Documents/Storage/entries.json")
        #expect(try String(contentsOf: entries, encoding: .utf8).contains("\"Test\""))
    }

    @Test func `the number of threads does not change the clusters`() throws {
        let notes = Fixtures.folder.appendingPathComponent("notes").path
        #expect(try commands.roost("ingest", notes, "-q").status == 0)
        var found: [[[String]]] = []
        for (tool, arguments) in [("env", ["OPENBLAS_NUM_THREADS=4"]), ("taskset", ["-c", "0"])] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/\(tool)")
            process.arguments =
                arguments + [
                    CommandLineDriver.binary.path, "recluster", "--clusters", "9", "--seed", "2", "-q",
                ]
            process.environment = ["HOME": home.path, "PATH": "/usr/bin:/bin"]
            process.currentDirectoryURL = home
            process.standardOutput = FileHandle.nullDevice
            try TestTool.start(process)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let export = try commands.roost("export", "clusters").output
            let document = try JSONSerialization.jsonObject(with: Data(export.utf8)) as? [String: Any]
            let clusters = try #require(document?["clusters"] as? [[String: Any]])
            found.append(
                clusters.map { cluster in
                    (cluster["members"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }.sorted()
                })
        }
        #expect(found[0] == found[1])
        #expect(found[0].count == 9)
    }

    @Test func `no store is created for an invalid import`() throws {
        for (text, words) in [("{}", "line 1"), ("", "is empty"), (" \n", "is empty")] {
            try write(text, to: "bad.json")
            let outcome = try commands.roost("import", "bad.json", "--store", "none")
            #expect(outcome.status == 65 && outcome.error.contains(words), "\(outcome)")
            #expect(try commands.roost("list", "--store", "none").status == 66)
        }
    }

    @Test func `tagging an unchanged source preserves edited texts`() throws {
        try write("a swift", to: "notes/a.md")
        #expect(try commands.roost("ingest", "notes").status == 0)
        let id = try #require(try listed().first?["id"] as? String)
        #expect(try commands.roost("edit", id, "--text", "my own words").status == 0)
        #expect(try commands.roost("ingest", "notes", "--tag", "new").output.contains("1 updated"))
        #expect(try texts() == ["my own words"])
        #expect(try listed().first?["tags"] as? [String] == ["new"])
        #expect(try commands.roost("ingest", "notes", "--tag", "new").output.contains("1 unchanged"))
    }

    @Test func `unusable input creates no store and fails`() throws {
        try write("  ", to: "empty.md")
        try write("id,text\n", to: "header.csv")
        for arguments in [
            ["ingest", "empty.md"], ["ingest", "header.csv"], ["ingest", "empty.md", "header.csv"],
        ] {
            let outcome = try commands.roost(arguments)
            #expect(outcome.status == 65, "\(arguments): \(outcome)")
            #expect(outcome.error.split(separator: "\n").count == 1)
        }
        #expect(try commands.roost("list").status == 66)
        for arguments in [
            ["query", "x", "-n", "-1"], ["query"], ["recluster", "--seed", "-1"], ["nonsense", "x"],
        ] {
            let outcome = try commands.start(arguments).outcome()
            #expect(outcome.status == 64, "\(arguments): \(outcome)")
            #expect(outcome.error.hasPrefix("roost: ") && outcome.error.split(separator: "\n").count == 1)
        }
    }

    @Test func `an export is written to standard output, links and devices`() throws {
        #expect(try commands.roost("add", "a swift").status == 0)
        #expect(try commands.roost("export", "entries", "-o", "-").output.contains("a swift"))
        #expect(!FileManager.default.fileExists(atPath: home.appendingPathComponent("-").path))
        try write("old", to: "real.jsonl")
        chmod(home.appendingPathComponent("real.jsonl").path, 0o644)
        try FileManager.default.createSymbolicLink(
            at: home.appendingPathComponent("link.jsonl"),
            withDestinationURL: home.appendingPathComponent("real.jsonl"))
        #expect(try commands.roost("export", "entries", "-o", "link.jsonl").status == 0)
        let real = home.appendingPathComponent("real.jsonl").path
        #expect(try String(contentsOfFile: real, encoding: .utf8).contains("a swift"))
        #expect(try FileManager.default.attributesOfItem(atPath: real)[.posixPermissions] as? Int == 0o644)
        #expect(try commands.roost("export", "entries", "-o", "/dev/null").status == 0)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }
}
