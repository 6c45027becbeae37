import Foundation
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of the completion scripts in real shells.
@Suite(.temporaryFolders) struct CompletionTests {
    private let cli = CommandLineDriver()

    static func isInstalled(_ shell: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)")
    }

    /// Creates a store with a note, a tag, and a tag that runs a command in a shell that expands it.
    private func prepare() throws -> String {
        for arguments in [
            ["init", "s", "--model=lexical"], ["add", "--store=s", "--tag=drafts", "a swift above the roof"],
            ["init", "folder/sub", "--model=lexical"],
            ["add", "--store=s", "--tag=$(touch pwned)", "--tag=`touch pwned`", "green tea"],
        ] { #expect(try cli.roost(arguments).status == 0) }
        let list = try cli.roost("list", "--store=s", "-n1", "--format=tsv").output
        return String(try #require(list.split(separator: "\n").last).prefix(8))
    }

    /// Types lines in a shell and returns the screens.
    ///
    /// - Parameter lines: The lines, each with the text that the completion must show.
    private func complete(_ shell: String, _ lines: [(line: String, expected: String)]) throws -> (
        status: Int32, screens: String
    ) {
        // zsh finds a completion by the name of its file.
        let file = cli.home.appendingPathComponent(shell == "zsh" ? "_roost" : "roost.\(shell)")
        let script = try cli.roost("--generate-completion-script", shell)
        #expect(script.status == 0, "\(script.error)")
        try Data(script.output.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments =
            [Fixtures.repository.appendingPathComponent("Tests/Support/Completion/complete.py").path, shell]
            + [file.path] + lines.flatMap { [$0.line, $0.expected] }
        process.currentDirectoryURL = cli.home
        let programs = CommandLineDriver.binary.deletingLastPathComponent().path
        process.environment = [
            "HOME": cli.home.path, "PATH": "\(programs):/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try TestTool.start(process)
        let screens = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, screens)
    }

    /// Completes commands, options, ids, tags and models.
    private func completeAll(_ shell: String) throws {
        let id = try prepare()
        let result = try complete(
            shell,
            [
                ("roost dupl", "duplicates"), ("roost show --store s \(id.prefix(4))", id),
                ("roost list --store s --tag d", "drafts"), ("roost embed --model lex", "lexical"),
                ("roost list --form", "--format"), ("roost config lim", "limit"),
                ("roost ls --form", "--format"), ("roost search --min-si", "--min-similarity"),
                ("roost rm --store s \(id.prefix(4))", id), ("roost session exp", "export"),
                ("roost sear", "search"), ("roost fin", "find"), ("roost help sear", "search"),
                ("roost model ls --form", "--format"), ("roost cluster rm --quie", "--quiet"),
                ("roost --store s show \(id.prefix(4))", id), ("roost -q dupl", "duplicates"),
                ("roost -q --store=s --color never list --tag d", "drafts"),
                ("roost --store fol", "folder/"), ("roost help dupl", "duplicates"),
                ("roost help exit", "exit-statuses"), ("roost help cluster outl", "outliers"),
                ("roost config search-in data", "database"), ("roost config provider sql", "sqlite"),
                ("roost config model lex", "lexical"),
                ("roost list --store s --source fol", "folder/"), ("roost rm --store s --source ad", "add"),
            ])
        #expect(result.status == 0, "\(result.screens)")
    }

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
    func `bash completes commands, options, ids, tags and models`() throws { try completeAll("bash") }

    @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed"))
    func `zsh completes commands, options, ids, tags and models`() throws { try completeAll("zsh") }

    @Test(.enabled(if: isInstalled("fish"), "fish is not installed"))
    func `fish completes commands, options, ids, tags and models`() throws { try completeAll("fish") }

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
    func `bash completes labels with spaces and commas`() throws {
        _ = try prepare()
        #expect(try cli.roost("recluster", "--clusters=1", "--store=s").status == 0)
        let list = try cli.roost("cluster", "list", "--jsonl", "--store=s").output
        let cluster = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [String: Any]
        let id = try #require(cluster?["id"] as? String)
        #expect(try cli.roost("cluster", "label", "--store=s", id, "zebra, one two").status == 0)
        let result = try complete("bash", [("roost cluster show --store s zeb", "zebra\\,\\ one\\ two")])
        #expect(result.status == 0, "\(result.screens)")
    }

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
    func `bash completes sources after their colon, and values after an equals sign`() throws {
        _ = try prepare()
        let added = try cli.roost("llm", "embed", "notes", "a", "-c", "green tea", "-d", "s")
        #expect(added.status == 0, "\(added)")
        let result = try complete(
            "bash",
            [
                ("roost list --store s --source ll", "notes"),
                ("roost list --store s --source llm:", "notes"),
                ("roost list --store s --source llm:#no", "notes"),
                ("roost list --store=s --source=llm:#no", "notes"),
                ("roost list --store=s --tag=dr", "drafts"), ("roost ls --store=s --sort=cr", "created"),
            ])
        #expect(result.status == 0, "\(result.screens)")
    }

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
    func `bash offers the other names of commands`() throws {
        // The second tab lists the names.
        let result = try complete("bash", [("roost r\t", "  rm"), ("roost model r\t", "  rm")])
        #expect(result.status == 0, "\(result.screens)")
    }

    @Test(arguments: [
        (["2", "roost", "ls", "--f"], ["words", "roost", "list", "--f", "."]),
        (["1", "roost", "-"], ["words", "roost", "watch", "-", "."]),
        (["2", "roost", "--store", "f"], ["words", "roost", "watch", "--store", "f", "."]),
        (
            ["4", "roost", "--store", "s", "show", "22"],
            ["words", "roost", "show", "--store", "s", "22", "."]
        ),
        (
            ["5", "roost", "--store=s", "-q", "list", "--tag", "d"],
            ["words", "roost", "list", "--store=s", "-q", "--tag", "d", "."]
        ),
        (
            ["5", "roost", "--store", "s", "session", "show", ""],
            ["words", "roost", "chat", "show", "--store", "s", "", "."]
        ),
        (["3", "roost", "-q", "--store=s", "sh"], ["words", "roost", "sh", "."]),
        (["2", "roost", "-q"], ["words", "roost", "", "."]),
        (
            ["5", "roost", "--store", "=", "s", "rm", ""],
            ["words", "roost", "remove", "--store", "s", "", "."]
        ),
        (["3", "roost", "help", "export", "e"], ["names", "clusters", "entries", "."]),
        (
            ["3", "roost", "help", "model", ""],
            ["names", "list", "ls", "add", "pull", "distill", "remove", "rm", "."]
        ),
    ])
    func `A line that begins with an option or another name is converted`(
        arguments: [String], lines: [String]
    ) {
        #expect(CompletionWords(arguments).lines == lines)
    }

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
    func `A hostile tag is not completed and runs nothing`() throws {
        _ = try prepare()
        let result = try complete("bash", [("roost list --store s --tag ", "drafts")])
        #expect(result.status == 0 && !result.screens.contains("pwned"), "\(result.screens)")
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("pwned").path))
    }

    @Test func `Sources that are no files are completed`() throws {
        _ = try prepare()
        try Data("tea".utf8).write(to: cli.home.appendingPathComponent("tea.md"))
        #expect(try cli.roost("ingest", "--store=s", "tea.md").status == 0)
        let outcome = try cli.roost(
            "---completion", "list", "--", "--source", "5", "0", "roost", "list", "--store", "s",
            "--source", "")
        #expect(outcome.output.split(separator: "\n").filter { $0 != " " } == ["add"], "\(outcome)")
        let names = ["add", "llm:#notes", "#a", "x $(touch pwned)", "-a", "chat:a%20b", "a;b"]
        #expect(DynamicCompletion.usableSources(names) == ["add", "llm:#notes", "chat:a%20b"])
    }

    @Test func `A completion outside of a store is empty and not an error`() throws {
        let outcome = try cli.roost(
            "---completion", "show", "--", "positional@0", "2", "0", "roost", "show", "")
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
    }
}
