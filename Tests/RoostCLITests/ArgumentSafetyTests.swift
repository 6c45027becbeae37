import Foundation
import TestSupport
import Testing

/// Tests of arguments that would make a command act on more than the user intended.
@Suite(.temporaryFolders) struct ArgumentSafetyTests {
    private let cli = CommandLineDriver()

    /// Ingests rows into the store `s`.
    private func prepare(_ count: Int) throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        let rows = (0..<count).map { "{\"id\":\($0),\"text\":\"text number \($0)\"}" }
        try rows.joined(separator: "\n").write(
            to: cli.home.appendingPathComponent("t.jsonl"), atomically: true, encoding: .utf8)
        #expect(try cli.roost("ingest", "t.jsonl", "--store=s", "-q").status == 0)
    }

    private func entryCount() throws -> Int {
        try cli.roost("list", "--store=s", "-n", "1000", "--json").output.components(
            separatedBy: "\"content\""
        ).count - 1
    }

    @Test func `an empty argument is an error in every command`() throws {
        try prepare(3)
        let id = UUID().uuidString
        for arguments in [
            ["remove", "--source", ""], ["remove", "--source="], ["remove", ""], ["ingest", ""],
            ["ingest", "t.jsonl", ""], ["ingest", "t.jsonl", "--exclude", ""],
            ["ingest", "--files-from", ""],
            ["init", ""], ["init", "x", "--provider="], ["query", ""], ["query", "x", "--source", ""],
            ["list", "--source", ""], ["export", "entries", "-o", ""], ["import", ""], ["add", ""],
            ["backup", "create", "--to", ""], ["backup", "restore", "latest", "--into", ""],
            ["backup", "create", "--password-file="], ["copy", "s", ""], ["show", ""],
            ["edit", id, "--text", ""], ["edit", id, "--add-tag", ""], ["config", "model", ""],
            ["config", ""], ["model", "add", ""],
            ["chat", "import", ""], ["similar", ""],
        ] {
            let outcome = try cli.roost(arguments + ["--store=s"])
            #expect(outcome.status == 64, "\(arguments): \(outcome.status) \(outcome.error)")
            #expect(outcome.error.contains("empty"), "\(arguments): \(outcome.error)")
            #expect(outcome.output.isEmpty)
        }
        let after = try cli.roost("list", "--store", "")
        #expect(after.status == 64 && after.error.contains("argument 3 is empty"))
        #expect(try entryCount() == 3)
        // Nothing was created in the current folder.
        let names = try FileManager.default.contentsOfDirectory(atPath: cli.home.path).sorted()
        #expect(names == ["s", "t.jsonl"], "\(names)")
    }

    @Test func `an argument that is not valid UTF-8, and a tag with a line feed, are refused`() throws {
        try prepare(1)
        let script = #"exec "$0" add --store=s "$(printf 'caf\351 noir')""#
        let invalid = try cli.start([], launcher: ["/bin/sh", "-c", script]).outcome()
        #expect(invalid.status == 65 && invalid.error.contains("not valid UTF-8"), "\(invalid)")
        for arguments in [
            ["edit", "00000000", "--add-tag", "a\nb"], ["add", "x", "--tag", "a\nb"],
            ["ingest", "t.jsonl", "--tag", "a\u{1B}"],
        ] {
            let outcome = try cli.roost(arguments + ["--store=s"])
            #expect(outcome.status == 64 && outcome.error.contains("control characters"), "\(outcome)")
        }
        #expect(try entryCount() == 1)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `a help text that cannot be written is an error`() throws {
        let script = #"exec "$0" --help > /dev/full"#
        let outcome = try cli.start([], launcher: ["/bin/sh", "-c", script]).outcome()
        #expect(outcome.status == 74 && outcome.error.contains("cannot write the output"), "\(outcome)")
    }

    @Test func `an empty prefix of a model is accepted`() throws {
        let outcome = try cli.roost("model", "add", "none", "--query-prefix", "", "--document-prefix", "")
        #expect(outcome.status != 64, "\(outcome.error)")
    }

    @Test func `many entries are removed only with --yes`() throws {
        try prepare(21)
        let refused = try cli.roost("remove", "--store=s", "--source", "t.jsonl")
        #expect(refused.status == 64 && refused.error.contains("--yes"), "\(refused.error)")
        #expect(try entryCount() == 21)
        let listed = try cli.roost("remove", "--store=s", "--source", "t.jsonl", "--dry-run")
        #expect(listed.status == 0, "\(listed)")
        // The rows are those of a list, in the same order.
        #expect(listed.output == (try cli.roost("list", "--store=s").output) + "would remove 21 entries\n")
        #expect(try entryCount() == 21)
        let removed = try cli.roost("remove", "--store=s", "--source", "t.jsonl", "--yes")
        #expect(removed.status == 0 && removed.output == "removed 21 entries\n", "\(removed)")
        #expect(try entryCount() == 0)
    }

    @Test func `many messages are deleted only with --yes`() throws {
        #expect(try cli.roost("init", "s", "--model", "lexical").status == 0)
        let messages = (0..<21).map {
            #"{"role": "user", "content": "message \#($0)", "user": "ada", "session": "one"}"#
        }
        let file = cli.home.appendingPathComponent("c.jsonl")
        try Data(messages.joined(separator: "\n").utf8).write(to: file)
        let imported = try cli.roost("chat", "import", "--store=s", "c.jsonl")
        #expect(imported.status == 0 && imported.output.hasPrefix("21 new"), "\(imported)")
        let refused = try cli.roost("chat", "delete", "--store=s", "--user=ada")
        #expect(refused.status == 64 && refused.error.contains("remove 21 messages"), "\(refused)")
        #expect(try entryCount() == 21)
        let removed = try cli.roost("chat", "delete", "--store=s", "--user=ada", "--yes")
        #expect(removed.status == 0 && removed.output == "removed 21 messages\n", "\(removed)")
        #expect(try entryCount() == 0)
    }

    @Test func `few entries are removed without a confirmation`() throws {
        try prepare(20)
        let removed = try cli.roost("remove", "--store=s", "--source", "t.jsonl")
        #expect(removed.status == 0 && removed.output == "removed 20 entries\n", "\(removed)")
    }

    /// Starts the removal of the file in a pseudo-terminal, which sends it what is written to the input.
    private func startRemoval() throws -> (process: Process, input: Pipe, output: Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
        process.arguments = [
            "-qec", "\(CommandLineDriver.binary.path) remove --store=s --source t.jsonl", "/dev/null",
        ]
        process.currentDirectoryURL = cli.home
        process.environment = ["HOME": cli.home.path, "PATH": "/usr/bin:/bin"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try TestTool.start(process)
        return (process, input, output)
    }

    @Test func `entries that are added before the answer are removed with their source`() throws {
        try prepare(21)
        let (process, input, output) = try startRemoval()
        var text = Data()
        while !text.contains("[y/N]".utf8) {
            let part = output.fileHandleForReading.availableData
            try #require(!part.isEmpty)
            text += part
        }
        try prepare(25)
        try input.fileHandleForWriting.write(contentsOf: Data("y\n".utf8))
        let rest = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try input.fileHandleForWriting.close()
        #expect(process.terminationStatus == 0 && rest.contains("removed 25 entries"), "\(rest)")
        #expect(try entryCount() == 0)
    }

    @Test(arguments: [("y\n", true), ("yes\n", true), ("n\n", false), ("\n", false), ("yep\n", false)])
    func `a user at a terminal is asked before many entries are removed`(
        answer: String, isRemoved: Bool
    ) throws {
        try prepare(21)
        let (process, input, output) = try startRemoval()
        try input.fileHandleForWriting.write(contentsOf: Data(answer.utf8))
        // The end of the input would reach the terminal before the answer, so the input stays open.
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try input.fileHandleForWriting.close()
        #expect(text.contains("remove 21 entries? [y/N]"), "\(text)")
        #expect(process.terminationStatus == (isRemoved ? 0 : 1), "\(text)")
        #expect(try entryCount() == (isRemoved ? 0 : 21))
    }
}
