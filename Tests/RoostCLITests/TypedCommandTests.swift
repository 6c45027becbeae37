import Foundation
import TestSupport
import Testing

/// Fifty command lines as people type them, half of them wrong. Each gives its result, or a message that
/// leads to it.
@Suite(.temporaryFolders) struct TypedCommandTests {
    private let cli = CommandLineDriver()

    /// A command line with its expected exit status and a part of its output or message.
    struct Typed: CustomTestStringConvertible, Sendable {
        var line: String
        var status: Int32
        var part: String

        init(_ line: String, _ status: Int32, _ part: String) {
            (self.line, self.status, self.part) = (line, status, part)
        }

        var testDescription: String { line }
    }

    /// The correct lines. ID, SNAPSHOT and CLUSTER stand for the beginnings of ids.
    static let correct = [
        Typed("query green tea leaves", 0, "Green tea"), Typed("search tea -n1", 0, "Green tea"),
        Typed("find swifts -l", 0, "notes/swifts.md"), Typed("ls", 0, "Swifts in the roof"),
        Typed("ls -n2 --format paths", 0, "notes/swifts.md"), Typed("list --since yesterday", 0, "Green tea"),
        Typed("list --format csv", 0, "id,title,path,tags,created,updated"),
        Typed("--store s list --where kind=none", 0, "no entry matches"),
        Typed("list --tag none", 0, "no entry has the tag 'none'"), Typed("show ID", 0, "Swifts in the roof"),
        Typed("similar ID -n2 --all", 0, "Green tea"), Typed("links ID", 0, "the entry has no links"),
        Typed("add order seeds and soil --tag garden", 0, "-"),
        Typed("edit ID the swifts have left", 0, "file notes/swifts.md still has the old text"),
        Typed("cluster show tea and -n1", 66, "no cluster has the id or label 'tea and'"),
        Typed("clusters", 0, "cohesion"), Typed("cluster label CLUSTER Night sky", 0, "Night sky"),
        Typed("cluster show night sky", 0, "set by you"), Typed("sessions list", 0, "alpha"),
        Typed("chat search bread -n1 --all", 0, "bread"), Typed("backup list", 0, "3"),
        Typed("embed two words --model lexical --format jsonl", 0, "two words"),
        Typed("query git commit --amend --all", 0, "commit"), Typed("duplicates", 0, "no two entries"),
        Typed("chat prune --older-than 3w --keep-last 1 --dry-run", 0, "would remove 0"),
        Typed("folders", 0, "remembers no folders"), Typed("llm collections", 0, "no collections"),
        Typed("help exit-statuses", 0, "130"), Typed("-V", 0, "SQLite"),
        Typed("help exit-statuses", 0, "a setting has no value"),
        Typed("chat prune --keep-last 1 --dry-run", 0, "would remove 0"),
    ]

    /// The wrong lines.
    static let wrong = [
        Typed("qeury tea", 64, "did you mean `roost query`?"), Typed("serach x", 64, "`roost search`"),
        Typed("delete ID", 64, "did you mean `roost remove`?"), Typed("tea", 64, "`roost query tea`"),
        Typed("restore latest", 64, "did you mean `roost backup restore`?"),
        Typed("backup restore latest", 64, "--into"), Typed("backup lsit", 64, "`roost backup list`"),
        Typed("show MISTYPED", 66, "did you mean ID?"), Typed("show ab", 64, "at least 4 digits"),
        Typed("show swifts", 66, "`roost list`"), Typed("list --sinse yesterday", 64, "--since"),
        Typed("list --since someday", 64, "yesterday"), Typed("list --format xml", 64, "tsv"),
        Typed("list --json --format csv", 64, "only one of"), Typed("list --where year", 64, "--where must"),
        Typed("list --where year>=", 64, "needs a value after the operator"),
        Typed("recluster --where due<", 64, "needs a value after the operator"),
        Typed("recluster --where created>=2026-01", 64, "cannot compare the dates of entries"),
        Typed("recluster --where updated<last-week", 64, "cannot compare the dates of entries"),
        Typed("query", 64, "give a query; run `roost help query`"), Typed("query tea -n0", 64, "at least 1"),
        Typed("cluster show Nigth sky", 66, "did you mean 'Night sky'?"),
        Typed("chat show alpah", 66, "did you mean 'alpha'?"),
        Typed("init --model lexcial x", 69, "did you mean 'lexical'?"),
        Typed("config limt 5", 64, "did you mean 'limit'?"), Typed("help frobnicate", 64, "`roost help`"),
        Typed("recluster --cluster 3", 64, "--clusters"), Typed("ingest nowhere", 66, "nowhere"),
        Typed("pick tea", 64, "`roost query`"), Typed("llm similar notes", 64, "give an id"),
        Typed("remove", 64, "give ids"), Typed("migrate --to xml x", 64, "sqlite or json"),
        Typed("model remove minilm", 69, "not installed"),
        Typed("recluster --format json", 64, "unknown option '--format'; did you mean '--json'?"),
        Typed("tag ID ID", 64, "is the id of an entry"),
        Typed("similar swifts!", 66, "run `roost list` for ids"),
        Typed("add order seeds --tga garden", 64, "unknown option '--tga'; did you mean '--tag'?"),
        Typed("query tea --formt --all", 0, "'--formt' is not an option (did you mean --format?)"),
        Typed("query -n abc tea", 64, "invalid value 'abc' for -n; run `roost help query`"),
        Typed("query tea -n", 64, "missing value for -n; run `roost help query`"),
        Typed("list --format xml", 64, "invalid value 'xml' for --format; use table, json, jsonl, csv, tsv"),
        Typed("cluster list --format paths", 64, "use table, json, jsonl, csv, tsv or template"),
        Typed("show", 64, "; run `roost help show`"),
        Typed("add", 64, "missing argument <text>; `roost add -` reads it from standard input"),
        Typed("tag", 64, " TAG>; run `roost help tag`"),
        Typed("--store", 64, "missing value for --store; run `roost help`"),
        Typed("serve --port -1", 64, "--port must be from 0 to 65535, not -1"),
        Typed("query tea --min-score 2", 64, "--min-score must be a number from 0 to 1"),
        Typed("cluster split CLUSTER --into 1", 64, "--into must be"),
        Typed("cluster merge CLUSTER", 64, "give at least two clusters; run `roost help cluster merge`"),
        Typed("--hlp", 64, "did you mean '--help'?"),
        Typed("query tea -n", 64, "missing value for -n; run `roost help query`"),
        Typed("query tea --tag", 64, "missing value for --tag"),
        Typed("list --format {id}", 64, "invalid value '{id}' for --format; use --template '{id}'"),
        Typed("export entries x.json", 64, "unexpected argument 'x.json'; -o names the file"),
        Typed("export entries -o x.xlsx", 64, "cannot write xlsx files; choose another extension"),
        Typed("query tea --all --top 3", 0, "'--top' is not an option (did you mean --limit?)"),
        Typed("query tea --all --collection notes", 0, "(did you mean --source?)"),
        Typed("query tea --all --full", 0, "'--full' is not an option (did you mean --json?)"),
        Typed("query tea --all -k 3", 0, "'-k' is not an option (did you mean --limit?)"),
        Typed("--generate-completion-script cmd", 64, "script for 'cmd'; use bash, zsh or fish"),
        Typed("folders add notes", 64, "`roost add-folder` adds a folder"),
        Typed("remove-folder nowhere", 66, "run `roost folders` to list the folders"),
        Typed("import", 64, "missing argument <FILE>; `roost import -` reads standard input"),
        Typed("import a.json b.json", 64, "unexpected argument 'b.json'; import one file at a time"),
        Typed("config set", 64, "give the name of a setting"),
        Typed("migrate x", 64, "missing argument --to <storage>"),
        Typed("ingest notes --glob txt", 66, "--glob '*.txt' selects files by their extension"),
        Typed("ingest notes --glob x*.txt", 66, "no file in notes matches --glob 'x*.txt'"),
        Typed("list --since last monday", 64, "put a time of several words in quotes"),
        Typed("list --cluster two words", 64, "a value of several words needs quotes"),
        Typed("show -", 64, "'-' is not an id"), Typed("backup list -n0", 64, "at least 1"),
        Typed("chat prune --keep 0", 64, "give --older-than WHEN, or --keep N with at least 1"),
        Typed("export", 64, "missing subcommand of `roost export`"), Typed("backup", 64, "USAGE"),
    ]

    /// Creates a store with two notes, a conversation, two clusters and a backup, and returns the texts that
    /// the placeholders stand for.
    private func prepare() throws -> [String: String] {
        let folder = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in [
            ("swifts.md", "# Swifts in the roof\n\nThe swifts return in May."),
            ("tea.md", "# Green tea\n\nSteep the leaves, then commit to two minutes."),
        ] { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
        let message = #"{"role": "user", "content": "bread in the oven", "session": "alpha"}"#
        for arguments in [
            ["init", "s", "--model=lexical"], ["ingest", "notes"], ["chat", "import", "-"],
            ["recluster", "--clusters=2"], ["backup", "create"],
        ] {
            let outcome = try run(arguments, input: arguments.last == "-" ? message : "")
            #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
        }
        let id = try #require(
            try run(["query", "swifts", "--format=tsv"]).output.split(separator: "\n").last?
                .split(separator: "\t").dropFirst().first.map { String($0.prefix(8)) })
        let clusters = try run(["cluster", "list", "--format=csv"]).output.split(separator: "\n")
        let last: Character = id.last == "0" ? "1" : "0"
        return [
            "MISTYPED": id.dropLast() + String(last), "ID": id,
            "CLUSTER": String(try #require(clusters.last).prefix(8)),
        ]
    }

    private func run(_ arguments: [String], input: String = "") throws -> CommandLineDriver.Outcome {
        let running = try cli.start(arguments, environment: ["ROOST_STORE": cli.home.path + "/s"])
        try running.input.write(contentsOf: Data(input.utf8))
        try running.input.close()
        return try running.outcome()
    }

    @Test func `Fifty command lines give their results, or messages that lead to them`() throws {
        #expect(Self.correct.count + Self.wrong.count >= 50)
        let texts = try prepare()
        func filled(_ text: String) -> String {
            ["MISTYPED", "ID", "CLUSTER"].reduce(text) { $0.replacing($1, with: texts[$1] ?? $1) }
        }
        for typed in Self.correct + Self.wrong {
            let outcome = try run(filled(typed.line).split(separator: " ").map(String.init))
            let text = outcome.output + outcome.error
            #expect(outcome.status == typed.status, "\(typed.line): \(outcome.status) \(text)")
            #expect(text.contains(filled(typed.part)), "\(typed.line): \(text)")
        }
    }
}
