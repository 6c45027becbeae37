import Foundation
import Roost
import RoostServer
import TestSupport
import Testing

@testable import RoostCLI

@Suite struct TableLayoutTests {
    private static let columns = [
        TableColumn(name: "id"), TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", isFlexible: true, keepsEnd: true),
    ]
    private static let rows = [
        ["12345678", "A title of many words that fills the line", "notes/deep/folder/file.md"],
        ["abcdef01", "日本語のとても長い題名がここにあります", "ノート/鳥/燕.md"], ["00000000", "e\u{301}te\u{301} 🐦", "x.md"],
    ]

    @Test func `characters that are invisible in ordinary texts are omitted, not replaced`() {
        let text = "\u{FEFF}shalom\u{200F} co\u{AD}operate \u{FFF9}x\u{FFFB}\u{200E}\u{E0041}"
        #expect(TerminalText.safe(text) == "shalom cooperate x")
        #expect(TerminalText.line(text, limit: 80) == "shalom cooperate x")
        #expect(TerminalText.safe("a\u{1B}b\u{202E}") == "a\u{FFFD}b\u{FFFD}")
    }

    @Test(arguments: [40, 80, 200]) func `Lines fit the width and columns start at the same offset`(
        width: Int
    ) {
        let layout = TableLayout(Self.columns, rows: Self.rows, width: width)
        let lines = Self.rows.map { layout.line($0, isStyled: false) }
        for line in lines { #expect(TextWidth.columns(of: line) <= width, "\(line)") }
        // The text before the path occupies the same number of columns in every line.
        let starts = lines.map { line in
            let end = line.split(separator: "  ", omittingEmptySubsequences: true).last ?? ""
            return TextWidth.columns(of: line) - TextWidth.columns(of: end.drop { $0 == " " })
        }
        #expect(Set(starts).count == 1, "\(starts) \(lines)")
        #expect(lines[0].hasSuffix("file.md"))
        #expect(layout.header.hasPrefix("id        title"))
    }

    @Test(arguments: [40, 80, 200]) func `The heading of a hit fits the width and has the id`(width: Int) {
        let text = HitText(columns: width, isStyled: false)
        let line = text.heading(
            score: 0.5, title: "A title of many words that fills the line", location: "notes/deep/file.md:12",
            id: "12345678")
        #expect(TextWidth.columns(of: line) <= width && line.hasSuffix("12345678"), "\(line)")
    }

    @Test func `Without a width a long cell does not widen the other lines`() {
        let title = String(repeating: "long ", count: 60) + "title"
        let columns = [TableColumn(name: "title", isFlexible: true), TableColumn(name: "tags")]
        let layout = TableLayout(columns, rows: [[title, "a"], ["short", "b"]], width: nil)
        #expect(layout.line([title, "a"]) == title + "  a")
        #expect(layout.line(["short", "b"]).count < 120)
    }

    @Test func `The names of columns are shortened before texts become unreadable`() {
        let columns = [
            EntryRow.idColumn, TableColumn(name: "created", shownLength: 16),
            TableColumn(name: "entries", isNumber: true), TableColumn(name: "clusters", isNumber: true),
            TableColumn(name: "tags", isFlexible: true),
        ]
        let rows = [
            ["12345678", "2026-01-31T09:30", "120", "8", "before-cleanup"],
            ["12345678", "2026-01-31T09:30", "7", "0", ""],
        ]
        for width in [45, 60, 80] {
            let layout = TableLayout(columns, rows: rows, width: width)
            for row in rows { #expect(layout.line(row, isStyled: false).count <= width) }
            #expect(layout.header.count <= width, "\(layout.header)")
        }
        let wide = TableLayout(columns, rows: rows, width: 80)
        #expect(wide.header.contains("entries") && wide.line(rows[0], isStyled: false).hasSuffix("cleanup"))
        let id = TableLayout.indentedLine(["0.5", "title"], [TableColumn(name: ""), TableColumn(name: "")])
        #expect(id == "  0.5  title")
    }
}

@Suite struct TerminalTextTests {
    @Test func `line ends of Windows are line ends`() {
        #expect(TerminalText.safe("one\r\n\r\ntwo\r\n", keepingLines: true) == "one\n\ntwo\n")
        #expect(TerminalText.rendered("one\r\ntwo", keepingLines: true) == "one\ntwo")
    }
}

@Suite struct ProgressTests {
    private struct Fault: Error {}

    @Test func `Work with a display returns its value, and passes on its error`() async throws {
        let progress = Progress(isQuiet: true)
        let value = try await progress.during("working") {
            progress.update(3, fraction: 0.5)
            return 7
        }
        #expect(value == 7 && progress.done == 3)
        await #expect(throws: Fault.self) { try await progress.during("failing") { throw Fault() } }
    }

    @Test func `Work that is canceled ends its display`() async {
        let task = Task {
            try await Progress(isQuiet: true).during("waiting") { try await Task.sleep(for: .seconds(60)) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite(.temporaryFolders) struct ListOutputTests {
    private let cli = CommandLineDriver()

    private func prepare() throws {
        for (name, text) in [
            ("swifts.md", "# Swifts in the roof\n\nThe swifts return in May."),
            ("tea.md", "# 日本のお茶\n\n二分待ちます。"), ("formula.md", "# =1+2, \"quoted\"\n\nnumbers"),
        ] { try cli.write(text, to: "notes/deep/\(name)") }
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "notes", "--store=s", "--tag=a", "--tag=b").status == 0)
    }

    private func list(_ arguments: String...) throws -> String {
        let outcome = try cli.roost(["list", "--store=s"] + arguments)
        #expect(outcome.status == 0, "\(outcome.error)")
        return outcome.output
    }

    @Test func `A pipe gets aligned lines without a header, and other forms have all columns`() throws {
        try prepare()
        let lines = try list().split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.contains { $0.contains("日本のお茶") && $0.hasSuffix("  notes/deep/tea.md") }, "\(lines)")
        let json = try JSONSerialization.jsonObject(with: Data(list("--format=json").utf8)) as? [Any]
        #expect(json?.count == 3)
        let objects = try list("--format=jsonl").split(separator: "\n")
        #expect(objects.count == 3 && objects.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        let table = try list("--format=tsv").split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(table[0].map(String.init) == ["id", "title", "path", "tags", "created", "updated"])
        #expect(table.allSatisfy { $0.count == 6 } && table[1][0].count == 36 && table[1][3] == "a;b")
        // A spreadsheet must not run the title as a formula.
        #expect(try list("--format=csv").contains("\"'=1+2, \"\"quoted\"\"\""))
    }

    @Test func `An empty list has a message and status 0 in every form`() throws {
        try prepare()
        for (format, output) in [
            ("text", ""), ("json", "[]\n"), ("csv", "id,title,path,tags,created,updated\n"),
        ] {
            let outcome = try cli.roost("list", "--store=s", "--tag=none", "--format", format)
            #expect(outcome.status == 0 && outcome.output == output, "\(format): \(outcome)")
            #expect(outcome.error == "no entry has the tag 'none'\n")
        }
        for arguments in [["chat", "list"], ["cluster", "list"], ["similar", "--duplicates"]] {
            let outcome = try cli.roost(arguments + ["--store=s"])
            #expect(outcome.status == 0, "\(arguments): \(outcome)")
            #expect(outcome.error.split(separator: "\n").count == 1, "\(arguments): \(outcome)")
        }
    }

    @Test func `A terminal gets a header`() throws {
        try prepare()
        func screen(_ arguments: String...) throws -> [Substring] {
            let output = try PseudoTerminal.output(
                of: CommandLineDriver.binary, ["list", "--store=s", "--color=never"] + arguments,
                in: cli.home, environment: ["HOME": cli.home.path, "PATH": "/usr/bin:/bin"])
            return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
        }
        let table = try screen()
        #expect(table.count == 4 && table[0].hasPrefix("id"), "\(table)")
        #expect(try screen("--format=paths").count == 3)
    }
}

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
        try cli.write(Self.guide, to: "guide.md")
        let rows = """
            {"text": "A first row about bread."}

            {"text": "A row about\\na buzzard", "id": "two"}
            """
        try cli.write(rows, to: "rows.jsonl")
        try cli.write("# 渡り鳥\n\n春に戻る鳥のツバメは家の軒下に巣を作り、そして秋になると南へ渡っていく。", to: "birds.md")
        #expect(try cli.roost("init", ".roost", "--model", "lexical").status == 0)
        #expect(try cli.roost("ingest", ".").status == 0)
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
        #expect(guide.hasPrefix("0.") || guide.hasPrefix("1."), "\(guide)")
        #expect(guide.contains("  A guide › Install › Linux  guide.md:11  "), "\(guide)")
    }

    @Test(arguments: [40, 80, 200]) func `lines fit on a terminal`(columns: Int) throws {
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
}

@Suite(.temporaryFolders) struct SecretAndSettingsTests {
    private let folder = TemporaryFolder.unusedURL()

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    // MARK: Secrets

    @Test func `every byte of a key file is significant, and it equals no passphrase`() throws {
        let bytes = (0...255).map(UInt8.init)
        let files: [[UInt8]] = [bytes, Array(bytes.dropLast()) + [254], bytes + [10], [0xFF, 0xFE], [0]]
        var secrets = Set(["first word"])
        for (number, bytes) in files.enumerated() {
            let secret = try BackupSecret.keyFile(try write(bytes, "\(number)"))
            #expect(secrets.insert(secret.passphrase).inserted && secret.lengthWarning == nil)
        }
        let empty = #expect(throws: CommandError.self) { try BackupSecret.keyFile(try write([], "empty")) }
        #expect(empty?.status == .badData)
    }

    @Test(arguments: [
        ("first word\n", "first word"), ("first word\r\nmore\r\n", "first word"),
        ("a long passphrase\u{2028}more\n", "a long passphrase\u{2028}more"),
    ])
    func `the first line of a password file is the passphrase`(text: String, passphrase: String) throws {
        let secret = try BackupSecret.passwordFile(try write(Array(text.utf8), "secret"))
        #expect(secret.passphrase == passphrase)
        #expect((secret.lengthWarning == nil) == (passphrase.count >= 12))
    }

    @Test(arguments: [
        (Array("stra".utf8) + [0xDF, 0x65, 10], "empty or not UTF-8"),
        (Array("a\0b\n".utf8), "empty or not UTF-8"), ([10, 97], "empty or not UTF-8"),
        ([UInt8](repeating: 97, count: 70_000), "larger than"),
    ])
    func `a password file that is not valid text is refused`(bytes: [UInt8], cause: String) throws {
        let path = try write(bytes, "secret")
        let error = #expect(throws: CommandError.self) { try BackupSecret.passwordFile(path) }
        #expect(error?.status == .badData && error?.message.contains(cause) == true)
    }

    // MARK: Settings

    private func values(_ file: URL) throws -> [String: String] { try UserConfiguration(file).values }

    @Test func `the file of the settings becomes private, and a link stays a link`() throws {
        let target = URL(fileURLWithPath: try write(Array("{\"limit\": \"3\"}".utf8), "dotfile.json"))
        #expect(chmod(target.path, 0o644) == 0)
        let link = folder.appendingPathComponent("config.json")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        var settings = try UserConfiguration(link)
        try settings.set("provider", "json")
        let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
        #expect(try values(target) == ["limit": "3", "provider": "json"])
    }

    @Test func `changes of settings at the same time lose no change`() async throws {
        let changes = [
            "limit": "7", "provider": "json", "label-model": "a", "s3-region": "eu-north-1",
            "remote-endpoint": "http://localhost:1/v1", "remote-key-file": "/a", "label-key-file": "/b",
        ]
        let file = folder.appendingPathComponent("config.json")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (key, value) in changes {
                group.addTask {
                    var settings = try UserConfiguration(file)
                    try settings.set(key, value)
                }
            }
            try await group.waitForAll()
        }
        #expect(try values(file) == changes)
    }

    @Test(arguments: [
        ("{\"limit\": \"\\ud800\"}", "unpaired surrogate at byte 17"),
        ("{\"limit\": 5}", "one of its values is not a string"), ("[]", "it is an array, not an object"),
        ("{", "it is not valid JSON: expected a string at byte 1"), ("", "it is empty"),
    ])
    func `damaged settings are reported with the cause`(text: String, cause: String) throws {
        let file = URL(fileURLWithPath: try write(Array(text.utf8), "config.json"))
        let error = #expect(throws: CommandError.self) { try UserConfiguration(file) }
        #expect(error?.status == .configuration && error?.message.contains(cause) == true)
    }

    @Test func `an invalid setting affects only the commands that use it`() throws {
        let file = URL(fileURLWithPath: try write(Array("{\"limit\": \"many\"}".utf8), "config.json"))
        var settings = try UserConfiguration(file)
        #expect(try settings.value(of: "model") == nil)
        for (key, value) in [
            ("limit", "0"), ("provider", "postgres"), ("search-in", "everywhere"), ("remote-key-file", "key"),
            ("remote-endpoint", "no address"), ("converter.CSV", "x"), ("converter.org", " "),
        ] { #expect(throws: (any Error).self, "\(key)") { try settings.set(key, value) } }
        let error = #expect(throws: CommandError.self) { try settings.value(of: "limit") }
        #expect(error?.message.contains("config.json") == true)
    }
}
