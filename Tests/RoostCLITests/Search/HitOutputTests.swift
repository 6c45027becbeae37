import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the forms in which `roost query` prints hits.
@Suite(.temporaryFolders) struct HitOutputTests {
    private let cli = CommandLineDriver()

    private static let guide = """
        ---
        title: A guide
        ---
        # Install

        Some words before the code, which the excerpt does not need.

        ## Linux

        ```sh
        # the kestrel step
            apt install kestrel-tools --with-a-very-long-option-name=and-a-value --and-more-of-it
        echo done
        ```

        """

    private func prepare() throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        try Data(Self.guide.utf8).write(to: cli.home.appendingPathComponent("guide.md"))
        let rows = """
            {"text": "A first row about bread."}

            {"text": "A row about\\na buzzard", "id": "two"}
            """
        try Data(rows.utf8).write(to: cli.home.appendingPathComponent("rows.jsonl"))
        try Data("text,kind\n\"one\nwaxwing\",a\n\"two\nand a plover\",b\n".utf8)
            .write(to: cli.home.appendingPathComponent("table.csv"))
        try Data("# 渡り鳥\n\n春に戻る鳥のツバメは家の軒下に巣を作り、そして秋になると南へ渡っていく。".utf8)
            .write(to: cli.home.appendingPathComponent("birds.md"))
        #expect(try cli.roost("init", ".roost", "--model", "lexical").status == 0)
        #expect(try cli.roost("ingest", ".").status == 0)
    }

    private func hits(_ arguments: String...) throws -> [[String: Any]] {
        let outcome = try cli.roost(["query", "--mode", "text", "--all", "--json"] + arguments)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
    }

    private func line(_ arguments: String...) throws -> String {
        let outcome = try cli.roost(["query", "--mode", "text", "--all", "-n1"] + arguments)
        return outcome.output.split(separator: "\n").first.map(String.init) ?? outcome.error
    }

    /// Returns the lines that a terminal of the given width shows.
    private func terminal(
        _ arguments: String..., columns: Int, environment: [String: String] = [:]
    ) throws -> [String] {
        let output = try PseudoTerminal.output(
            of: CommandLineDriver.binary, ["query", "--mode", "text", "--all", "-n1"] + arguments,
            in: cli.home,
            environment: ["HOME": cli.home.path, "PATH": "/usr/bin:/bin", "COLUMNS": "\(columns)"]
                .merging(environment) { $1 })
        return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test func `the first line has the score, the title and the location`() throws {
        try prepare()
        let guide = try line("kestrel")
        #expect(guide.hasPrefix("0."), "\(guide)")
        #expect(guide.contains("  A guide › Install › Linux  guide.md:11  "), "\(guide)")
    }

    @Test func `JSON has the title and the location`() throws {
        try prepare()
        let hit = try #require(try hits("kestrel").first)
        #expect(hit["title"] as? String == "A guide")
        #expect(hit["line"] as? Int == 11 && hit["headings"] as? [String] == ["Install", "Linux"])
        let lines = try cli.roost("query", "--all", "--format=jsonl", "a").output.split(separator: "\n")
        #expect(lines.count > 1)
        for line in lines {
            #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
        }
        for both in [
            ["--json", "--format=paths"], ["--format=jsonl", "--json"], ["--json", "--format=csv"],
        ] {
            #expect(try cli.roost(["query", "a"] + both).status == 64)
        }
    }

    @Test(arguments: [40, 80, 200])
    func `lines fit on a terminal`(columns: Int) throws {
        try prepare()
        for query in ["kestrel", "ツバメ", "buzzard", "bread"] {
            let lines = try terminal(query, columns: columns, environment: ["NO_COLOR": "1"])
            #expect(!lines.isEmpty)
            for line in lines {
                let width = line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) }
                #expect(width <= columns, "\(columns): \(line)")
            }
        }
    }

    @Test func `colors are used on terminals only, unless requested`() throws {
        try prepare()
        let escape = "\u{1B}["
        #expect(try terminal("kestrel", columns: 80).joined().contains("\(escape)1;33mkestrel\(escape)0m"))
        #expect(
            try !terminal("kestrel", columns: 80, environment: ["NO_COLOR": "1"]).joined().contains(escape))
        #expect(
            try !terminal("kestrel", columns: 80, environment: ["TERM": "dumb"]).joined().contains(escape))
        #expect(try !terminal("kestrel", "--color", "never", columns: 80).joined().contains(escape))
        #expect(
            try terminal("kestrel", "--color=always", columns: 80, environment: ["NO_COLOR": "1"]).joined()
                .contains(escape))
        #expect(try !cli.roost("query", "kestrel").output.contains(escape))
        #expect(try cli.roost("query", "--all", "kestrel", "--color", "always").output.contains(escape))
        #expect(try cli.roost("query", "kestrel", "--color", "blue").status == 64)
    }

    @Test func `an excerpt contains a match after a code block`() throws {
        let text =
            "# Git\n\nIntro.\n\n```bash\ngit reflog\n```\n\nThe word marzipan is here.\n\n~~~\nend\n~~~\n"
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: cli.home.appendingPathComponent("git.md"))
        #expect(try cli.roost("init", ".roost", "--model", "lexical").status == 0)
        #expect(try cli.roost("ingest", "git.md").status == 0)
        let output = try cli.roost("query", "marzipan", "--all").output
        #expect(output.contains("The word marzipan is here."), "\(output)")
    }

    @Test func `messages are found by their people, and due dates by words`() throws {
        let mail = """
            From: Carla Winter <carla@example.org>
            To: bob@example.org
            Cc: Dietmar Sommer <d@example.org>
            Subject: Offer
            Date: Tue, 11 Mar 2025 14:30:00 +0100
            MIME-Version: 1.0
            Content-Type: text/plain

            The new gutter costs 400 euros.

            """
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        try Data(mail.utf8).write(to: cli.home.appendingPathComponent("offer.eml"))
        for (name, due) in [("past", "2001-05-01"), ("future", "9000-05-01")] {
            try Data("---\ndue: \(due)\n---\n# The \(name) bill\n".utf8)
                .write(to: cli.home.appendingPathComponent(name + ".md"))
        }
        #expect(try cli.roost("init", ".roost", "--model", "lexical").status == 0)
        #expect(try cli.roost("ingest", ".").status == 0)
        for query in ["Carla Winter", "Dietmar", "carla@example.org"] {
            let output = try cli.roost("query", query).output
            #expect(output.contains("offer.eml"), "\(query): \(output)")
        }
        let overdue = try cli.roost("list", "--where", "due<today").output
        #expect(overdue.contains("past") && !overdue.contains("future"), "\(overdue)")
        let coming = try cli.roost("list", "--where", "due > tomorrow").output
        #expect(coming.contains("future") && !coming.contains("past"), "\(coming)")
    }

    @Test func `paths are printed once`() throws {
        try prepare()
        let output = try cli.roost("query", "--all", "--format=paths", "row").output
        #expect(output.split(separator: "\n").count { $0.hasSuffix("rows.jsonl") } == 1)
    }
}
