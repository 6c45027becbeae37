import Foundation
import TestSupport
import Testing

/// Prints texts with control characters from every kind of file and store to a pseudo-terminal.
@Suite(.temporaryFolders) struct TerminalSafetyTests {
    private let cli = CommandLineDriver()

    /// A text with the characters that a terminal interprets: escape sequences that set the title and clear
    /// the screen (in 7 and 8 bits), DEL, controls of text direction, and a forged line.
    private static let hostile =
        "evil\u{1B}]0;owned\u{07}\u{1B}[2J\u{9B}2J\u{9D}0;owned\u{9C}\u{7F}\u{202E}\u{2066}\u{200F}"
        + "\nFORGED\r\u{8}x"

    /// The hostile text as the contents of a JSON string.
    private static var escaped: String {
        hostile.unicodeScalars.map { scalar in
            scalar.isASCII && scalar.value >= 32
                ? String(scalar)
                : "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
                    + String(scalar.value, radix: 16)
        }.joined()
    }

    private func show(_ arguments: [String]) throws -> String {
        let data = try PseudoTerminal.output(
            of: CommandLineDriver.binary, arguments, in: cli.home,
            environment: [
                "HOME": cli.home.path, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "EDITOR": "true",
                "COLUMNS": "100", "ROOST_REMOTE_ENDPOINT": "http://127.0.0.1:9/v1",
            ])
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns the first violation in the output of a terminal; `nil` if the output has none.
    private static func violation(_ output: String, allowsLines: Bool) -> String? {
        var text = output.replacing("\r\n", with: "\n")
        for style in ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[2m", "\u{1B}[1;33m"] {
            text = text.replacing(style, with: "")
        }
        // The progress line is rewritten in place.
        text = text.replacing("\r\u{1B}[K", with: "")
        let bad = text.unicodeScalars.first { scalar in
            if scalar == "\n" || scalar == "\t" { return false }
            return scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        }
        if let bad { return "the control character U+\(String(bad.value, radix: 16))" }
        guard !allowsLines else { return nil }
        return text.split(separator: "\n").contains { $0.hasPrefix("FORGED") } ? "a forged line" : nil
    }

    /// Creates a store in which every text, name, tag, label and setting is hostile.
    private func fill() throws {
        let (hostile, escaped) = (Self.hostile, Self.escaped)
        let name = hostile.replacing("/", with: "")
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try cli.write("one " + hostile, to: "docs/\(name).md")
        try cli.write("---\ntags: [\"\(escaped)\"]\n---\ntwo \(hostile) bread", to: "docs/plain.md")
        try cli.write("\u{0}\u{1}binary", to: "docs/\(name).txt")
        let rows = (0..<6).map {
            "{\"id\": \"\(escaped)\($0)\", \"text\": \"row \($0) \(escaped)\", "
                + "\"\(escaped)\": \"\(escaped)\"}\n"
        }
        try cli.write(rows.joined() + "{\"broken\(escaped)\n", to: "docs/rows.jsonl")
        try cli.write("\"\(hostile)\",b\n1,2\n", to: "docs/\(name).csv")
        _ = try cli.roost("ingest", "docs", "--store=s", "--keep-originals")
        try cli.write(rows.joined(), to: "more/good.jsonl")
        #expect(try cli.roost("ingest", "more", "--store=s").status == 0)
        _ = try cli.roost("recluster", "--clusters=2", "--seed=1", "--store=s")
        let clusters = try cli.roost("cluster", "list", "--json", "--store=s").output
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(clusters.utf8)) as? [[String: Any]])
        for (number, cluster) in list.enumerated() {
            let id = try #require(cluster["id"] as? String)
            // The library removes line feeds from labels, or refuses them.
            for label in ["\(number)\(hostile)", "\(number)\(hostile.replacing("\n", with: " "))"] {
                _ = try cli.roost("cluster", "label", id, label, "--store=s")
            }
        }
        let line =
            "{\"role\": \"user\", \"content\": \"said \(escaped)\", \"user\": \"\(escaped)\", "
            + "\"session\": \"s\(escaped)\", \"agent\": \"\(escaped)\"}\n"
        try cli.write(line, to: "chat\(name).jsonl")
        _ = try cli.roost("chat", "import", "chat\(name).jsonl", "--store=s")
        try cli.write(
            "{\"model\": \"\(escaped)\", \"label-model\": \"\(escaped)\"}", to: ".config/roost/config.json")
        _ = try cli.roost("backup", "create", "--tag", hostile, "--store=s")
        try cli.write("{}", to: "models/\(name)/config.json")
        try cli.write("{}", to: ".local/share/roost/models/\(name)/config.json")
        try cli.write("{\"format\": 1, \"provider\": \"\(escaped)\"}", to: "damaged/store.json")
    }

    /// Returns the names of all commands without subcommands, such as `cluster list`.
    private func commandNames() throws -> [[String]] {
        let help = try cli.roost("--experimental-dump-help").output
        let document = try JSONSerialization.jsonObject(with: Data(help.utf8)) as? [String: Any]
        func leaves(_ command: [String: Any], _ path: [String]) -> [[String]] {
            let below = (command["subcommands"] as? [[String: Any]] ?? [])
                .filter { $0["commandName"] as? String != "help" }
            return below.isEmpty
                ? [path] : below.flatMap { leaves($0, path + [$0["commandName"] as? String ?? ""]) }
        }
        return leaves(try #require(document?["command"] as? [String: Any]), [])
    }

    private static let s = "--store=s"
    /// The hostile text without slashes, for names of files.
    private static var name: String { hostile.replacing("/", with: "") }

    /// Returns the commands whose output contains texts with their line breaks.
    private static func commandsWithLines(_ ids: [String]) -> [[String]] {
        [
            ["show", ids[0], s], ["show", ids[0], "--original", s], ["query", "bread", "--context=1", s],
            ["chat", "show", "s", s], ["chat", "search", "said", s, "--context=2"],
            ["export", "clusters", "--format=csv", s], ["export", "clusters", "--format=html", s],
            ["backup", "restore", hostile, "--into", "r\(name)", s],
        ]
    }

    private static func commands(_ ids: [String]) -> [[String]] {
        [
            [hostile], ["list", "--\(hostile)"], ["list", "--store", hostile], ["list", "--store=damaged"],
            ["init", name, "--model", hostile], ["init", "x\(name)", "--provider", hostile],
            ["add", "a \(hostile)", "--tag", hostile, "--meta", "\(hostile)=\(hostile)", s, "-v"],
            ["add", "x \(hostile)", "--key=\(name)", s], ["ingest", "docs", s, "-v", "--dry-run"],
            ["ingest", hostile, s], ["ingest", "docs/\(name).csv", "--text-column", hostile, s],
            ["query", "row bread", "--explain", s, "-v"], ["query", "row", "--format=paths", s],
            ["query", "--batch", "docs/plain.md", s], ["query", hostile, "--where", hostile, s],
            ["query", "x", "--cluster", hostile, s], ["similar", ids[0], s], ["similar", hostile, s],
            ["similar", "--duplicates", "--threshold=0.1", s], ["show", ids[0], "--json", s],
            ["show", hostile, s], ["show", "--links", ids[0], s], ["list", s],
            ["list", "--since", hostile, s],
            ["list", "--format", "csv", s], ["list", "--by", "tag", "--by", "source", s],
            ["list", "--by", "tag", "--by", hostile, s], ["list", "--by", hostile, "--format=csv", s],
            ["edit", ids[1], "--text", "new \(hostile)", s], ["edit", ids[1], s],
            ["edit", ids[1], "--add-tag", hostile, s], ["edit", hostile, "--remove-tag", hostile, s],
            ["edit", "--where", "tag!=x", "--add-tag", hostile, s], ["cluster", "list", s],
            ["cluster", "show", "0\(hostile)", s], ["cluster", "show", hostile, s],
            ["cluster", "outliers", s], ["cluster", "diff", s], ["cluster", "label", hostile, hostile, s],
            ["cluster", "autolabel", "--model", hostile, s],
            ["cluster", "merge", "0\(hostile)", "1\(hostile)", s], ["cluster", "split", hostile, s],
            ["cluster", "find", hostile, s], ["cluster", "move", ids[1], "--to", hostile, s],
            ["cluster", "delete", hostile, s], ["export", "clusters", s], ["export", "entries", s],
            ["export", "clusters", "-o", "/nowhere/\(name)", s], ["import", "docs/rows.jsonl", s],
            ["import", hostile, s], ["status", s], ["index", s], ["doctor", "--compact", s], ["doctor", s],
            ["doctor", "--store=damaged"], ["backup", "create", "--tag", hostile, s], ["backup", "list", s],
            ["backup", "verify", "--read-data", s], ["backup", "restore", "latest", "--into", "r\(name)", s],
            ["backup", "forget", hostile, s], ["backup", "prune", "--keep-last=1", "--keep-tag", hostile, s],
            ["backup", "password", "--new-password-file", hostile, s],
            ["backup", "list", "--to", "ftp://\(hostile)", s], ["copy", "s", "m\(name)"],
            ["copy", hostile, "copied\(name)"], ["model", "use", hostile, s], ["undo", "--dry-run", s],
            ["grant", hostile, s],
            ["chat", "import", "chat\(name).jsonl", s], ["chat", "import", hostile, s], ["chat", "list", s],
            ["chat", "export", s], ["chat", "show", hostile, s], ["chat", "delete", hostile, s],
            ["chat", "delete", "--user", hostile, "--dry-run", s], ["mcp", "--store", hostile],
            ["mcp", "--folder", hostile, "--tag", hostile, s], ["mcp", "--print-config", hostile],
            ["export", "entries", "--format", "npy", "-o", hostile, s], ["model", "list"],
            ["model", "embed", "--model=lexical", hostile],
            ["model", "add", "models/\(name)"], ["model", "pull", hostile],
            ["model", "remove", name], ["config"],
            ["config", hostile, hostile], ["config", "model", hostile], ["recluster", "--clusters=2", s],
            ["recluster", "--where", hostile, s], ["remove", "--tag", hostile, s], ["remove", hostile, s],
            ["remove", ids[2], s], ["undo", s], ["help", hostile], ["ingest", hostile, s],
            ["ingest", ".", "--tag", hostile, s], ["folder", "list", s], ["sync", "--dry-run", s],
            ["sync", hostile, s], ["folder", "remove", ".", s], ["serve", "--print-token"],
            ["open", "--no-browser", "--store", hostile],
        ]
    }

    @Test func `no command lets texts control the terminal or forge lines`() throws {
        try fill()
        let listed = try cli.roost("list", "--json", "--store=s").output
        let entries = try #require(
            try JSONSerialization.jsonObject(with: Data(listed.utf8)) as? [[String: Any]])
        let ids = try entries.prefix(3).map { try #require($0["id"] as? String) }
        try #require(entries.count > 3)
        let texts = Self.commandsWithLines(ids)
        let lines = Self.commands(ids)
        for (runs, allowsLines) in [(texts, true), (lines, false)] {
            for arguments in runs {
                let output = try show(arguments)
                let violation = Self.violation(output, allowsLines: allowsLines)
                #expect(violation == nil, "\(arguments): \(output.debugDescription.prefix(2000))")
            }
        }
        for command in try commandNames() {
            #expect((texts + lines).contains { $0.starts(with: command) }, "\(command) was not run")
        }
    }

    @Test func `JSON output escapes all control characters and keeps its value`() throws {
        #expect(try cli.roost("add", "a \(Self.hostile)", "--store=s").status == 0)
        for arguments in [
            ["list", "--json"], ["export", "entries"], ["export", "entries", "--format=jsonl"],
            ["query", "evil", "--json"],
        ] {
            let output = try cli.roost(arguments + ["--store=s"]).output
            #expect(Self.violation(output, allowsLines: true) == nil, "\(output.debugDescription)")
            #expect(output.contains("\\u009b2J") && output.contains("\\u007f\\u202e\\u2066\\u200f"))
        }
        let list =
            try JSONSerialization.jsonObject(
                with: Data(try cli.roost("list", "--json", "--store=s").output.utf8)) as? [[String: Any]]
        #expect(list?.first?["text"] as? String == "a \(Self.hostile)")
        // A pipe receives the exact text.
        let id = try #require(list?.first?["id"] as? String)
        #expect(try cli.roost("show", id, "--store=s").output.contains(Self.hostile))
    }
}
