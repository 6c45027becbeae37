import Foundation
import TestSupport
import Testing

/// Tests of messages that lead on, and of the statuses with them.
@Suite(.temporaryFolders) struct CommandMessageTests {
    private let cli = CommandLineDriver()

    @Test func `A store without backups has an empty list of them`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let list = try cli.roost("backup", "list", "--store=s")
        #expect(list.status == 0 && list.output.isEmpty && list.error.contains("backup create"), "\(list)")
        #expect(try cli.roost("backup", "list", "--json", "--store=s").output == "[]\n")
        #expect(try cli.roost("backup", "prune", "--store=s").status == 0)
        for command in ["list", "prune"] {
            #expect(try cli.roost("backup", command, "--store=s", "--to=none").status == 66)
            #expect(try cli.roost("backup", command, "--store=none").status == 66)
        }
    }

    @Test(arguments: [["list"], ["query", "東京", "--all"], ["list", "--format=csv"], ["count", "--by=tag"]])
    func `Commands work without a home folder, and in the locale C`(arguments: [String]) throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("add", "東京の茶", "--store=s", "--tag=東京").status == 0)
        let running = try cli.start(arguments + ["--store=s"], launcher: ["-u", "HOME", "LC_ALL=C"])
        try running.input.close()
        let outcome = try running.outcome()
        #expect(outcome.status == 0 && outcome.output.contains("東京"), "\(outcome)")
    }

    @Test func `undo names the command with its subcommand`() throws {
        for text in ["a swift above the roof", "green tea"] {
            #expect(try cli.roost("--store", "s", "add", text).status == 0)
        }
        let added = try cli.roost("undo", "--dry-run", "--store=s").output
        #expect(added.contains("would revert `roost add`"), "\(added)")
        #expect(try cli.roost("recluster", "--clusters=1", "--store=s").status == 0)
        let list = try cli.roost("cluster", "list", "--jsonl", "--store=s").output
        let cluster = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [String: Any]
        let id = try #require(cluster?["id"] as? String)
        #expect(try cli.roost("clusters", "label", id, "birds", "--store=s").status == 0)
        let output = try cli.roost("undo", "--dry-run", "--store=s").output
        #expect(output.contains("would revert `roost cluster label`"), "\(output)")
    }

    @Test func `An editor that does not exist is named`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        try Data("a swift above the roof".utf8).write(to: cli.home.appendingPathComponent("a.md"))
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        for editor in ["nosuchedit", "nosuchedit --wait"] {
            let process = try cli.start(
                ["query", "swift", "--all", "--open", "--store=s"],
                environment: ["EDITOR": editor, "PATH": "/usr/bin:/bin"])
            try process.input.close()
            let outcome = try process.outcome()
            #expect(outcome.status == 69 && outcome.error.contains("'\(editor)' was not found"), "\(outcome)")
        }
    }

    @Test func `two conditions in one --where are reported if nothing matches`() throws {
        #expect(try cli.roost("add", "a swift above the roof", "--store=s").status == 0)
        for (condition, isReported) in [
            ("a=1 AND b=2", true), ("a=1 and b exists", true), ("a=1 && b>=2", true),
            ("a=rock and roll", false),
        ] {
            let list = try cli.roost("list", "--store=s", "--where", condition)
            #expect(list.status == 0 && list.error.contains("no entry matches the filter"), "\(list)")
            #expect(list.error.contains("in its own --where") == isReported, "\(list.error)")
        }
    }

    @Test func `a device without end is not read`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let zero = try cli.roost("import", "/dev/zero", "--store=s")
        #expect(zero.status == 65 && zero.error.contains("it is a device"), "\(zero)")
    }

    @Test func `-n limits groups of duplicates and snapshots`() throws {
        for text in ["the swift sleeps on the wing", "green tea in a cup", "bread in the oven"] {
            for mark in [".", "!"] { #expect(try cli.roost("add", text + mark, "--store=s").status == 0) }
        }
        #expect(try cli.roost("duplicates", "--jsonl", "--store=s").output.split(separator: "\n").count == 3)
        let groups = try cli.roost("duplicates", "-n2", "--jsonl", "--store=s").output
        #expect(groups.split(separator: "\n").count == 2, "\(groups)")
        for _ in 0..<3 { #expect(try cli.roost("backup", "create", "--store=s").status == 0) }
        let all = try cli.roost("backup", "list", "--jsonl", "--store=s").output.split(separator: "\n")
        let newest = try cli.roost("backup", "list", "-n2", "--jsonl", "--store=s").output
        #expect(all.count == 3 && newest.split(separator: "\n") == all.suffix(2), "\(newest)")
    }

    @Test func `-n3 is a number of results, and errors have one cause`() throws {
        let rows = (1...4).map { "{\"id\": \"\($0)\", \"text\": \"text \($0)\"}" }.joined(separator: "\n")
        let embedded = try cli.roost(
            ["llm", "embed-multi", "notes", "-", "--format=nl", "-d", "s", "-m", "lexical"], input: rows)
        #expect(embedded.status == 0, "\(embedded.error)")
        let similar = try cli.roost("llm", "similar", "notes", "1", "-n3", "-d", "s")
        #expect(similar.output.split(separator: "\n").count == 3, "\(similar)")
        let wrong = try cli.roost("list", "-nx", "--store=s")
        #expect(wrong.status == 64 && !wrong.error.contains(" or: "), "\(wrong.error)")
    }

    @Test(.enabled(if: getuid() != 0, "the superuser can read all files"))
    func `A file without permission is not reported as missing`() throws {
        let folder = cli.home.appendingPathComponent("closed")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("text".utf8).write(to: folder.appendingPathComponent("a.md"))
        #expect(chmod(folder.path, 0) == 0)
        defer { chmod(folder.path, 0o700) }
        let outcome = try cli.roost("ingest", "closed/a.md", "--store=s")
        #expect(outcome.status == 66 && outcome.error.contains("permission denied"), "\(outcome)")
    }

    @Test(
        .enabled(if: getuid() != 0, "the superuser can read all files"),
        arguments: [
            ("sqlite", "store.json"), ("sqlite", "roost.sqlite"), ("sqlite", "."),
            ("json", "Storage/CURRENT"),
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

    @Test func `a manifest that cannot be read has a message with the cause`() throws {
        try FileManager.default.createDirectory(
            at: cli.home.appendingPathComponent("s/store.json"), withIntermediateDirectories: true)
        let outcome = try cli.roost("list", "--store=s")
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.error.contains("cannot read"), "\(outcome)")
        #expect(outcome.error.contains("store.json: it is a folder, not a file; move it away"), "\(outcome)")
    }
}
