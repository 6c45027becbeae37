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

    @Test(arguments: [["list"], ["query", "東京", "--all"], ["list", "--format=csv"], ["list", "--by=tag"]])
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
            #expect(try cli.roost("add", text, "--store", "s").status == 0)
        }
        let added = try cli.roost("undo", "--dry-run", "--store=s").output
        #expect(added.contains("would revert `roost add`"), "\(added)")
        #expect(try cli.roost("recluster", "--clusters=1", "--store=s").status == 0)
        let list = try cli.roost("cluster", "list", "--format=jsonl", "--store=s").output
        let cluster = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [String: Any]
        let id = try #require(cluster?["id"] as? String)
        #expect(try cli.roost("cluster", "label", id, "birds", "--store=s").status == 0)
        let output = try cli.roost("undo", "--dry-run", "--store=s").output
        #expect(output.contains("would revert `roost cluster label`"), "\(output)")
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
        #expect(
            try cli.roost("similar", "--duplicates", "--format=jsonl", "--store=s").output.split(
                separator: "\n"
            ).count == 3)
        let groups = try cli.roost("similar", "--duplicates", "-n2", "--format=jsonl", "--store=s").output
        #expect(groups.split(separator: "\n").count == 2, "\(groups)")
        for _ in 0..<3 { #expect(try cli.roost("backup", "create", "--store=s").status == 0) }
        let all = try cli.roost("backup", "list", "--format=jsonl", "--store=s").output.split(separator: "\n")
        let newest = try cli.roost("backup", "list", "-n2", "--format=jsonl", "--store=s").output
        #expect(all.count == 3 && newest.split(separator: "\n") == all.suffix(2), "\(newest)")
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
