import Foundation
import Roost
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
        #expect((hits[0]["text"] as? String)?.contains("kestrel") == true)
        #expect(try cli.roost("recluster", "--clusters", "11", "--seed", "1").status == 0)
        let map = cli.home.appendingPathComponent(".roost/index/map")
        #expect(FileManager.default.fileExists(atPath: map.path))
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

    @Test(arguments: [["watch", "--store=s"], ["quer", "birds"]])
    func `an unknown command is named`(arguments: [String]) throws {
        let outcome = try cli.roost(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.error == "roost: unknown command '\(arguments[0])'; see `roost help`\n")
    }

    @Test func `the help shows at most 27 commands on one screen`() throws {
        let lines = try cli.roost("--help").output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 50)
        let start = try #require(lines.firstIndex { $0.hasPrefix("TEXTS") })
        #expect(lines[start...].count { $0.hasPrefix("  ") && !$0.hasPrefix("   ") } - 1 == 27)
    }

    @Test func `clusters are printed with a header, and filter queries`() throws {
        let notes = Fixtures.folder.appendingPathComponent("notes").path
        #expect(try cli.roost("ingest", notes, "-q").status == 0)
        let made = try cli.roost("recluster", "--clusters", "30", "--seed", "1")
        let lines = made.output.split(separator: "\n")
        #expect(made.status == 0 && lines[0].contains("size") && lines[0].contains("label"))
        #expect(lines.count == 31 && lines[1].contains(" ###"), "\(made.output)")
        #expect(made.error.contains("30 clusters of 311 entries"), "\(made.error)")
        let table = try cli.roost("cluster", "list").output.split(separator: "\n")
        #expect(table.count >= 31 && table[0].contains("cohesion"))
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

    /// Validates a file against `Documentation/Schemas/clusters.schema.json` with Debian's python3-jsonschema.
    func validate(_ file: URL) throws {
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        let schema = Fixtures.repository.appendingPathComponent("Documentation/Schemas/clusters.schema.json")
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
            (["similar", "none.txt"], 66, "none.txt"), (["cluster", "diff"], 66, "recluster"),
            (["ingest", odd + "/table.csv", "--text-column", "no"], 65, "'no'"),
            (["recluster", "--clusters", "9"], 64, "9 clusters"), (["query", " "], 65, "empty"),
            (["remove", UUID().uuidString], 66, "no entry"), (["import", odd + "/crlf.md"], 65, "crlf.md"),
            (["config", "colour", "blue"], 64, "colour"), (["init", "--model", "none"], 69, "none"),
            (["query", "-n", "-1", "x"], 64, "-n must be"), (["nonsense", "x"], 64, "unknown command"),
        ] as [([String], Int32, String)] {
            let outcome = try cli.roost(arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome.error)")
            #expect(outcome.error.contains(words), "\(arguments): \(outcome.error)")
            #expect(outcome.error.split(separator: "\n").count == 1, "\(arguments): \(outcome.error)")
        }
    }
}

/// Tests of messages that lead on, and of the statuses with them.
@Suite(.temporaryFolders) struct CommandMessageTests {
    private let cli = CommandLineDriver()

    @Test(arguments: [["query", "東京", "--all"], ["list", "--by=tag"]])
    func `Commands work without a home folder, and in the locale C`(arguments: [String]) throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("add", "東京の茶", "--store=s", "--tag=東京").status == 0)
        let running = try cli.start(arguments + ["--store=s"], launcher: ["-u", "HOME", "LC_ALL=C"])
        try running.input.close()
        let outcome = try running.outcome()
        #expect(outcome.status == 0 && outcome.output.contains("東京"), "\(outcome)")
    }

    @Test func `a pipe is read if a program writes to it, and otherwise refused`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let note = cli.home.appendingPathComponent("a.md")
        try Data("the swift is back".utf8).write(to: note)
        let listed = try cli.roost(
            ["ingest", "--files-from", "/dev/stdin", "--store=s"], input: note.path + "\n")
        #expect(listed.output.hasPrefix("1 new"), "\(listed)")
        let found = try cli.roost(["similar", "/dev/stdin", "--store=s"], input: "the swift is back")
        #expect(found.output.contains("a.md"), "\(found)")
        #expect(mkfifo(cli.home.appendingPathComponent("pipe").path, 0o600) == 0)
        for command in [
            ["similar", "pipe"], ["ingest", "--files-from", "pipe"], ["query", "--batch", "pipe"],
            ["backup", "create", "--password-file", "pipe"], ["import", "pipe"],
        ] {
            try cli.expect(65, "no program writes", command + ["--store=s"])
        }
    }

    @Test func `a device without end is not read`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        try cli.expect(65, "it is a device", "import", "/dev/zero", "--store=s")
    }

    @Test(
        .enabled(if: getuid() != 0, "the superuser can read all files"),
        arguments: [
            ("sqlite", "store.json"), ("sqlite", "roost.sqlite"), ("json", "Storage/CURRENT"),
        ])
    func `a store without the permission to read names the permission and the next step`(
        provider: String, file: String
    ) throws {
        #expect(try cli.roost("init", "s", "--provider", provider, "--model", "lexical").status == 0)
        #expect(try cli.roost("add", "a text", "--store=s").status == 0)
        let path = cli.home.appendingPathComponent("s/\(file)").path
        #expect(chmod(path, 0) == 0)
        defer { chmod(path, 0o700) }
        let outcome = try cli.roost("list", "--store=s")
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.error.contains("Permission denied"), "\(outcome)")
        #expect(outcome.error.contains("check the owner and permissions of the files"), "\(outcome)")
    }
}

@Suite(.temporaryFolders) struct CompletionTests {
    private let cli = CommandLineDriver()

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell accepts its completion script`(shell: String) throws {
        let script = try cli.roost("--generate-completion-script", shell)
        #expect(script.status == 0 && script.output.contains("recluster"), "\(script.error)")
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)") else { return }
        let file = cli.home.appendingPathComponent("roost.\(shell)")
        try Data(script.output.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(shell)")
        process.arguments = ["-n", file.path]
        try TestTool.start(process)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

@Suite(.temporaryFolders) struct NewStoreCommandTests {
    private let cli = CommandLineDriver()

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: cli.home.appendingPathComponent(folder).path)
            .sorted()
    }

    @Test func `no store is created among other files`() throws {
        #expect(try cli.roost("add", "--store", "s", "a swift").status == 0)
        try cli.write("a note", to: "notes/a.md")
        for arguments in [["copy", "s", "notes"], ["init", "--store", "notes"]] {
            let refused = try cli.roost(arguments)
            #expect(
                refused.status == 78 && refused.error.contains("contains other files"),
                "\(arguments): \(refused)")
            #expect(try names(in: "notes") == ["a.md"])
        }
        #expect(try cli.roost("init", "notes/.roost").status == 0)
        try FileManager.default.createDirectory(
            at: cli.home.appendingPathComponent("empty"), withIntermediateDirectories: true)
        #expect(try cli.roost("copy", "s", "empty").status == 0)
        #expect(try cli.roost("copy", "s", "empty").status == 0, "a copy can be repeated")
    }

    @Test func `a server for agents that only reads creates no store`() throws {
        let refused = try cli.roost("mcp", "--read-only", "--store", "s")
        #expect(refused.status == 66, "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("s").path))
        // Without the option, the end of the empty standard input ends the server.
        #expect(try cli.roost("mcp", "--store", "s").status == 0)
        #expect(try !names(in: "s").isEmpty)
    }

    @Test func `a server for a part of the store needs a folder, and a conversation with three names`() throws
    {
        try cli.write("# Note", to: "note.md")
        for (arguments, status, text) in [
            (["--folder", "note.md"], Int32(66), "no such folder"), (["--scope", "u//a"], 64, "three names"),
            (["--scope", "u/s/a/b"], 64, "three names"), (["--scope", "u/s/a"], 0, ""),
        ] {
            let outcome = try cli.roost(["mcp", "--store", "s"] + arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome)")
            #expect(text.isEmpty || outcome.error.contains(text), "\(outcome)")
        }
    }
}
