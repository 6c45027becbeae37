import Foundation
import TestSupport
import Testing

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
    func `A hostile tag is not completed and runs nothing`() throws {
        _ = try prepare()
        let result = try complete("bash", [("roost list --store s --tag ", "drafts")])
        #expect(result.status == 0 && !result.screens.contains("pwned"), "\(result.screens)")
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("pwned").path))
    }

    @Test func `A completion outside of a store is empty and not an error`() throws {
        let outcome = try cli.roost(
            "---completion", "show", "--", "positional@0", "2", "0", "roost", "show", "")
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
    }
}
