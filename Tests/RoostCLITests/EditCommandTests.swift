import Foundation
import TestSupport
import Testing

/// Tests of `roost edit`.
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

    @Test func `The editor can read the keyboard, and changes nothing if it fails`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        try write("a swift above the roof", "a.md")
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        let failed = try edit(with: "sh -c 'echo other > \"$0\"; exit 3'")
        #expect(failed.status == 69 && failed.error.contains("exited with status 3"), "\(failed)")
        #expect(try cli.roost("show", "a.md", "--store=s").output.contains("a swift above the roof"))
        // A terminal stops a program of another process group that reads from it.
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

    @Test func `The title and the metadata are changed without an editor`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let meta = ["--meta", "status=new", "--meta", "due=2026-01"]
        let id = String(try cli.roost(["add", "a swift", "--store=s"] + meta).output.prefix(8))
        let edited = try cli.roost(
            "edit", id, "--store=s", "--title", "Roof notes", "--meta", "status=done", "--unset", "due")
        #expect(edited.status == 0 && edited.error.isEmpty, "\(edited)")
        let listed = try cli.roost("list", "--store=s", "--where", "status=done", "--where", "due missing")
        #expect(listed.output.contains("Roof notes"), "\(listed)")
        let same = try cli.roost("edit", id, "--meta", "status=done", "--store=s")
        #expect(same.status == 0 && same.error.contains("the entry is unchanged"), "\(same)")
    }

    @Test func `Changed metadata of a file has a note, and that of a message is refused`() throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        try write("a swift above the roof", "a.md")
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        let edited = try cli.roost("edit", "a.md", "--title=Swifts", "--store=s")
        #expect(edited.status == 0 && edited.error.contains("the file a.md was not changed"), "\(edited)")
        try write(#"{"role": "user", "content": "order tea", "user": "ada", "session": "one"}"#, "c.jsonl")
        #expect(try cli.roost("chat", "import", "c.jsonl", "--store=s").status == 0)
        let message = try cli.roost("list", "--store=s", "--where", "kind=message")
        for (name, change) in [
            (String(message.output.prefix(8)), "session=two"), ("a.md", "kind=message"), ("a.md", "a"),
        ] { #expect(try cli.roost("edit", name, "--meta", change, "--store=s").status == 64, "\(change)") }
    }
}
