import Foundation
import TestSupport
import Testing

/// Tests of `roost edit` with an editor.
@Suite(.temporaryFolders) struct EditCommandTests {
    private let cli = CommandLineDriver()

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: cli.home.appendingPathComponent(name))
    }

    private func edit(with editor: String) throws -> CommandLineDriver.Outcome {
        let process = try cli.start(["edit", "a.md", "--store=s"], environment: ["EDITOR": editor])
        try process.input.close()
        return try process.outcome()
    }

    @Test func `The editor is in the process group of the command, so it can read the keyboard`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        try write("a swift above the roof", "a.md")
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        // A terminal stops a program of another group that reads from it.
        try write(
            """
            ps -o pgid= -p $$ > editor
            ps -o pgid= -p $PPID > command
            cmp editor command || exit 3
            printf 'a heron in the water' > "$1"
            """, "editor.sh")
        let edited = try edit(with: "sh editor.sh")
        #expect(edited.status == 0, "\(edited)")
        #expect(try cli.roost("show", "a.md", "--store=s").output.contains("a heron in the water"))
    }

    @Test func `An editor that fails changes nothing`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        try write("a swift above the roof", "a.md")
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        let failed = try edit(with: "sh -c 'echo other > \"$0\"; exit 3'")
        #expect(failed.status == 69 && failed.error.contains("exited with status 3"), "\(failed)")
        #expect(try cli.roost("show", "a.md", "--store=s").output.contains("a swift above the roof"))
    }
}
