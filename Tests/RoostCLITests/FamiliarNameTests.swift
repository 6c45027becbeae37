import Foundation
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of words and options that people know from other programs.
@Suite(.temporaryFolders) struct FamiliarNameTests {
    private let cli = CommandLineDriver()

    @Test(arguments: [
        ("log", "`roost list --sort updated --reverse`"), ("tags", "`roost count --by tag`"),
        ("completion bash", "`roost --generate-completion-script bash`"), ("gc", "`roost compact`"),
        ("models", "`roost model list`"), ("collections", "`roost llm collections`"),
        ("open x", "`roost show`"), ("help log", "`roost help list`"), ("help version", "`roost help`"),
        ("cluster rename a b", "`roost cluster label`"), ("backup new", "`roost backup create`"),
        ("index rebuild", "`roost index build`"), ("chat find x", "`roost chat search`"),
        ("list --csv", "'--format csv'"), ("list --no-color", "'--color never'"),
        ("recluster -k 5", "'--clusters'"), ("list -k 5", "'--limit'"), ("doctor --fix", "'--repair'"),
        ("embed x -m lexical", "'--model'"), ("tag x -d birds", "'--remove'"),
        ("serve -p 80", "'--port'"), ("--stor x list", "did you mean '--store'?"),
        ("--json list", "as in `roost list --json`"), ("add -t garden order seeds", "'--tag'"),
        ("map", "`roost export clusters --format html`"), ("multi-get x", "`roost show`"),
        ("vsearch x", "`roost query --mode vector`"), ("list --count", "`roost count` counts"),
        ("count tag", "`roost count --by tag`"),
        ("pin x", "`roost tag`"), ("cluster reassign x", "`roost cluster move`"),
        ("list --frob", "run `roost help list`"), ("list birds", "`roost query` searches"),
        ("rg swift", "`roost query`"), ("fzf", "`roost pick`"), ("recall x", "`roost chat search`"),
        ("model show minilm", "`roost model list`"), ("list -5", "'-n5'"), ("tag -5", "run `roost help tag`"),
        ("recluster --format json", "'--json'"), ("ingest -r x", "all folders below them"),
        ("export -o x.json", "as in `roost export clusters -o`"), ("watch notes", "`roost add-folder`"),
        ("-v", "run `roost --version`"), ("rn x", "`roost help` lists all commands"),
        ("collection add notes", "`roost add-folder`"), ("fetch x", "`roost show`"),
        ("cleanup", "`roost compact`"), ("llm models", "did you mean `roost model list`?"),
        ("llm logs", "`roost chat list`"), ("llm frob", "`roost help llm`"), ("show x -l 20", "'--lines'"),
        ("list --where year==2024", "with one ="), ("show 11111111 22222222 --original", "one entry"),
    ])
    func `A name of another program leads to ours`(line: String, part: String) throws {
        let outcome = try cli.roost(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 64 && outcome.error.contains(part), "\(line): \(outcome)")
    }

    @Test(arguments: [
        ["list", "-qn1"], ["list", "-qn", "1"], ["list", "-n1", "-q"], ["ls", "-qvn1"],
        ["query", "swifts", "-qn1"], ["search", "-ln1", "swifts"],
    ])
    func `Options of one letter can be combined`(arguments: [String]) throws {
        for text in ["swifts return", "swifts leave"] { #expect(try cli.roost("add", text).status == 0) }
        let isPaths = arguments.contains("-ln1")
        let outcome = try cli.roost(arguments)
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        #expect(isPaths ? lines.isEmpty : lines.count(where: { $0.contains("swifts") }) >= 1, "\(outcome)")
    }

    @Test func `Subcommands have the short names of shells`() throws {
        for line in [["model", "ls"], ["cluster", "ls"], ["backup", "ls"], ["chat", "ls"]] {
            #expect(try cli.roost("add", "one").status == 0)
            #expect(try cli.roost(line).status == 0, "\(line)")
        }
        #expect(try CommandNames().resolved(["chat", "rm", "x"]) == ["chat", "delete", "x"])
        #expect(try CommandNames().resolved(["model", "rm", "x"]) == ["model", "remove", "x"])
        #expect(try CommandNames().resolved(["cluster", "rm", "x"]) == ["cluster", "delete", "x"])
    }

    @Test func `Signs before tags add and remove them`() throws {
        let id = String(try cli.roost("add", "one", "--tag", "draft").output.prefix(36))
        let changed = try cli.roost("tag", id, "+birds", "-draft", "+a b")
        #expect(changed.status == 0 && changed.error.contains("draft: 1 of 1 entry changed"), "\(changed)")
        let row = try cli.roost("list", "--format", "csv").output
        #expect(row.contains("birds") && row.contains("a b") && !row.contains("draft"), "\(row)")
        #expect(try cli.roost("undo").status == 0)
        #expect(try cli.roost("list", "--format", "csv").output.contains(",draft,"))
        for (words, part) in [
            ([id], "then the tag"), ([id, "+a", "b"], "ids of entries first"),
            ([id, "-d", "draft"], "--remove"),
        ] {
            let outcome = try cli.roost(["tag"] + words)
            #expect(outcome.status == 64 && outcome.error.contains(part), "\(words): \(outcome)")
        }
        // With --remove, a tag that begins with a sign can be removed.
        #expect(try TagChanges(["x", "+a"], removes: true).changes == [.init(tag: "+a", isAdded: false)])
        #expect(try TagChanges(["x", "a"], removes: false).changes == [.init(tag: "a", isAdded: true)])
    }

    @Test func `A tag of one character can be removed`() throws {
        let id = String(try cli.roost("add", "one", "--tag", "鳥", "--tag", "c").output.prefix(36))
        let changed = try cli.roost("tag", id, "-鳥", "-c", "-q")
        #expect(changed.status == 0 && changed.error.isEmpty, "\(changed)")
        let row = try cli.roost("list", "--json").output
        #expect(!row.contains("鳥") && !row.contains("\"c\""), "\(row)")
        #expect(try cli.roost("undo").status == 0)
        let before = try cli.roost("tag", "-鳥", "+birds", id)
        #expect(before.status == 0 && before.error.contains("鳥: 1 of 1 entry changed"), "\(before)")
        #expect(try cli.roost("tag", "-birds", id).error.contains("1 of 1 entry changed"))
        let mixed = try cli.roost("tag", "-birds", id, "+swifts")
        #expect(mixed.status == 64 && mixed.error.contains("before or after the ids"), "\(mixed)")
        // Before an id, a letter is an unknown option.
        #expect(try cli.roost("tag", "-c", id, "birds").status == 64)
    }

    @Test func `Settings can be read and changed with the words of other programs`() throws {
        #expect(try cli.roost("config", "set", "limit", "5").status == 0)
        #expect(try cli.roost("config", "get", "limit").output == "5\n")
        for line in [["config"], ["config", "list"], ["config", "--list"]] {
            #expect(try cli.roost(line).output.contains("limit = 5"), "\(line)")
        }
        #expect(try cli.roost("config", "unset", "limit").status == 0)
        #expect(try cli.roost("config", "get", "limit").status == 1)
        #expect(try cli.roost("config", "set").error.contains("give the name of a setting"))
    }

    @Test func `Several entries are shown once each, in the order of the arguments`() throws {
        let first = String(try cli.roost("add", "swifts return").output.prefix(36))
        let second = String(try cli.roost("add", "tea steeps").output.prefix(36))
        let shown = try cli.roost("show", second, String(first.prefix(8)), second)
        #expect(shown.status == 0, "\(shown)")
        let ids = shown.output.split(separator: "\n").filter { $0.hasPrefix("id ") }
        #expect(ids.map { String($0.suffix(36)) } == [second, first], "\(shown)")
        let json = try JSONSerialization.jsonObject(
            with: Data(cli.roost("show", first, second, "--json").output.utf8))
        #expect((json as? [Any])?.count == 2)
    }
}
