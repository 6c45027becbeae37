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
        #expect(try cli.roost("backup", "list", "--store=none").status == 66)
    }

    @Test(arguments: [["query", "東京", "--all"], ["list", "--by=tag"]])
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
