import ArgumentParser
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
        (["--help", "query"], ["help", "query"]),
        (["-h", "cluster", "list", "--store", "s"], ["help", "cluster", "list"]),
        (["help", "search", "--no-pager"], ["help", "query"]),
        (["-q", "help", "--color", "never", "cluster", "list", "-v"], ["help", "cluster", "list"]),
        (["help", "--no-pager"], ["help"]),
        (["--store", "s", "llm", "collections"], ["llm", "collections", "--database", "s"]),
        (["--store", "s", "--color=never", "-v", "model", "ls"], ["model", "list", "--color=never"]),
        (["-q", "--color", "never", "model", "pull", "x"], ["model", "pull", "-q", "x"]),
        (["-q", "--store=s", "embed", "--", "-q"], ["embed", "--", "-q"]),
        (["--no-pager", "--store", "s", "session", "doctor", "x"], ["chat", "doctor", "x"]),
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
        (["help", "qery"], "did you mean `roost help query`?"),
        (["help", "exit-status"], "did you mean `roost help exit-statuses`?"),
        (["help", "query", "extra"], "unexpected argument 'extra'"),
        (["--help", "query", "extra"], "run `roost help query`"),
        (["birds"], "`roost query birds` searches for the word"),
        (["backup", "xyzzy"], "`roost help backup` lists its subcommands"),
        (["cluster", "xyzzy"], "`roost cluster show NAME` shows a cluster"),
        (["--store"], "missing value for --store; run `roost help`"),
        (["-q", "--store", "s"], "missing command; run `roost help`"),
    ])
    func `An unknown command is an error that names a command`(typed: [String], part: String) throws {
        let error = #expect(throws: CommandError.self) { try CommandNames().resolved(typed) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.status == .usage)
    }

    /// Returns the paths of all commands without subcommands that the help lists.
    private static func leaves(
        below command: any ParsableCommand.Type = RoostCommand.self, _ path: [String] = []
    ) -> [[String]] {
        let children = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        return children.isEmpty ? [path] : children.flatMap { leaves(below: $0, path + [$0._commandName]) }
    }

    @Test func `Options for all commands can precede each of them`() throws {
        let leaves = Self.leaves()
        #expect(leaves.count > 40 && CommandNames.limitedCommands.isSubset(of: leaves))
        for path in leaves where !CommandNames.limitedCommands.contains(path) {
            let known = QueryArguments(of: CommandNames().command(at: path))
            let names = known.valueOptions.union(known.flags)
            for option in CommandNames.globalOptions {
                let isFlagOfLLM = path.first == "llm" && option == "--store"
                #expect(names.contains(isFlagOfLLM ? "--database" : option), "\(path): \(option)")
            }
        }
    }

    @Test func `A list of models can be styled`() throws {
        let styled = try cli.roost("--store", "s", "-q", "model", "list", "--color", "always")
        #expect(styled.status == 0 && styled.output.contains("\u{1B}["), "\(styled)")
        let plain = try cli.roost("--no-pager", "model", "list")
        #expect(plain.status == 0 && !plain.output.contains("\u{1B}["), "\(plain)")
    }

    @Test func `A tag with a comma leads to separate tags`() throws {
        let added = try cli.roost("add", "a swift", "--tag", "birds, roof")
        #expect(added.status == 0)
        #expect(added.error.contains("one tag with a comma; for the tags 'birds' and 'roof'"), "\(added)")
        #expect(try !cli.roost("add", "two swifts", "--tag", "birds").error.contains("comma"))
        let id = added.output.trimmingCharacters(in: .newlines)
        #expect(try cli.roost("tag", id, "a,b").error.contains("one tag with a comma"))
    }

    @Test func `One # before a tag is not a part of it`() throws {
        let id = String(try cli.roost("add", "one", "--tag", "#garden").output.prefix(36))
        #expect(try cli.roost("tag", id, "#birds").status == 0)
        for tag in ["garden", "#garden", "birds", "#birds"] {
            #expect(try cli.roost("list", "--tag", tag).output.contains("one"), "\(tag)")
        }
        let tagged = try cli.roost("list", "--format", "csv").output
        #expect(tagged.contains("birds") && !tagged.contains("#"), "\(tagged)")
        #expect(try cli.roost("list", "--tag", "#none").error.contains("no entry has the tag 'none'"))
        #expect(try cli.roost("tag", "--remove", id, "#birds").error.contains("1 of 1 entry changed"))
        // Tags that begin with # exist in stores of older versions.
        #expect(try cli.roost("tag", id, "##birds").status == 0)
        #expect(try cli.roost("tag", "--remove", id, "#birds").error.contains("1 of 1 entry changed"))
        let row = try cli.roost("list", "--format", "csv").output
        #expect(row.contains("garden") && !row.contains("birds"), "\(row)")
        #expect(TagArgument.tag(TagArgument.argument("#birds")) == "#birds" && TagArgument.tag("#") == "#")
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
