import Foundation
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of command lines as people type them.
@Suite(.temporaryFolders) struct CommandNameTests {
    private let cli = CommandLineDriver()

    @Test(arguments: [
        (["search", "a", "bird"], ["query", "a", "bird"]),
        (["find", "x", "-n5"], ["query", "x", "-n5"]),
        (["ls"], ["list"]),
        (["rm", "1234", "--yes"], ["remove", "1234", "--yes"]),
        (["--store", "s", "query", "a"], ["query", "--store", "s", "a"]),
        (["-q", "--color=never", "cluster", "list"], ["cluster", "list", "-q", "--color=never"]),
        (["clusters"], ["cluster"]),
        (["-V"], ["--version"]),
        (["help", "search"], ["help", "query"]),
        (["--help"], ["--help"]),
        ([], []),
    ])
    func `Other names, and options before the command, are understood`(
        typed: [String], expected: [String]
    ) throws {
        #expect(try CommandNames().resolved(typed) == expected)
    }

    @Test(arguments: [
        (["qeury", "birds"], "did you mean `roost query`?"),
        (["ingets", "."], "did you mean `roost ingest`?"),
        (["recl"], "did you mean `roost recluster`?"),
        (["delete", "x"], "did you mean `roost remove`?"),
        (["restore", "latest"], "did you mean `roost backup restore`?"),
        (["cluster", "shwo", "x"], "did you mean `roost cluster show`?"),
        (["help", "qery"], "did you mean `roost query`?"),
        (["birds"], "`roost query birds` searches for the word"),
        (["backup", "xyzzy"], "`roost help backup` lists its subcommands"),
    ])
    func `An unknown command is an error that names a command`(typed: [String], part: String) throws {
        let error = #expect(throws: CommandError.self) { try CommandNames().resolved(typed) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.status == .usage)
    }

    @Test func `Words after add need no quotes`() throws {
        let added = try cli.roost("add", "buy", "-n", "seeds", "--tag", "garden")
        #expect(added.status == 0, "\(added.error)")
        let shown = try cli.roost("ls", "--tag", "garden")
        #expect(shown.output.contains("buy -n seeds"), "\(shown.output)\(shown.error)")
        #expect(try cli.roost("-q", "search", "seeds").output.contains("buy -n seeds"))
        #expect(try cli.roost("help", "frobnicate").status == 64)
    }
}
