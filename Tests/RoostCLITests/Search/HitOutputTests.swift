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
        #expect(try !cli.roost("query", "kestrel").output.contains(escape))
        #expect(try cli.roost("query", "--all", "kestrel", "--color", "always").output.contains(escape))
    }

    @Test func `a hit has the same members as the encoded result of the library`() async throws {
        try prepare()
        let printed = try #require(try hits("--explain", "buzzard").first)
        let folder = cli.home.appendingPathComponent(".roost")
        let store = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        var search = EntrySearch("buzzard")
        (search.mode, search.includesAll) = (.text, true)
        let json = try JSONSerialization.jsonObject(
            with: JSONEncoder().encode(try await store.search(search)))
        try await store.close()
        let encoded = try #require(((json as? [String: Any])?["hits"] as? [[String: Any]])?.first)
        // Only the library can remove near-duplicates from the hits.
        #expect(Set(encoded.keys).subtracting(["duplicates"]) == Set(printed.keys))
        for name in ["location", "passage", "snippet", "explanation"] {
            let (left, right) = (encoded[name] as? [String: Any], printed[name] as? [String: Any])
            #expect(left.map { Set($0.keys) } == right.map { Set($0.keys) })
        }
        #expect(encoded["id"] as? String == printed["id"] as? String)
        let excerpts = [encoded, printed].map { ($0["snippet"] as? [String: Any])?["text"] as? String }
        #expect(excerpts[0] == excerpts[1])
    }
}
