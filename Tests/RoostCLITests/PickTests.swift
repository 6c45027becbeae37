import Foundation
import Roost
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of `roost pick`: its keys, its list, its picture, and the command on a pseudo-terminal.
@Suite(.temporaryFolders) struct PickTests {
    private let cli = CommandLineDriver()
    private static let hostile = "evil\u{1B}]0;owned\u{07}\u{1B}[2J\u{9B}2J\u{202E}\rx"

    private static func item(_ text: String, tags: [String] = []) -> PickItem {
        PickItem(Entry(content: text, tags: tags))
    }

    // MARK: Parts

    @Test(
        arguments: [
            ("a é\u{1F426}", [.character("a"), .character(" "), .character("é"), .character("\u{1F426}")]),
            ("\u{1B}[A\u{1B}[B\u{1B}OA\u{1B}[5~\u{1B}[6~", [.up, .down, .up, .pageUp, .pageDown]),
            ("\u{1B}[H\u{1B}[4~\r\u{7F}\u{15}", [.first, .last, .accept, .backspace, .clear]),
            ("\u{10}\u{0E}\u{03}", [.up, .down, .cancel]), ("\u{1B}", [.cancel]), ("\u{1B}x", []),
            ("\u{1B}[1;5C\u{1B}[200~b", [.character("b")]),
        ] as [(String, [PickKey])])
    func `Keys are recognized, however their bytes are divided`(bytes: String, keys: [PickKey]) {
        var whole = PickKeyReader()
        #expect(whole.keys(Array(bytes.utf8)) + whole.keys([], isPaused: true) == keys)
        var single = PickKeyReader()
        #expect(bytes.utf8.flatMap { single.keys([$0]) } + single.keys([], isPaused: true) == keys)
    }

    @Test func `Bytes that are not UTF-8 are ignored`() {
        var reader = PickKeyReader()
        #expect(reader.keys([0xFF, 0xC3, 0x28, 0x61], isPaused: true) == [.character("("), .character("a")])
    }

    @Test func `All typed words must occur, and the selection stays within the list`() {
        var list = PickList([
            Self.item("Green tea\n\nSteep the leaves."), Self.item("Swifts", tags: ["birds"]),
            Self.item("Tea and birds"),
        ])
        func type(_ text: String) {
            for character in text { list.apply(.character(character)) }
        }
        for key in [PickKey.down, .down, .down] { list.apply(key) }
        #expect(list.selected?.title == "Tea and birds")
        list.apply(.pageUp)
        #expect(list.selected?.title == "Green tea")
        type("BIRDS")
        #expect(list.matches == [1, 2] && list.selection == 0)
        type(" tea")
        #expect(list.matches == [2])
        type("x")
        #expect(list.selected == nil)
        list.apply(.down)
        #expect(list.selected == nil)
        list.apply(.backspace)
        #expect(list.matches == [2])
        list.apply(.clear)
        #expect(list.matches == [0, 1, 2])
        type("leaves")
        #expect(list.matches == [0])
    }

    @Test(arguments: [
        ("Café Müller", "cafe MULLER"), ("cafe\u{301}", "café"), ("CAFÉ", "cafe\u{301}"), ("a cafe", "CAFÉ"),
        ("\u{1100}\u{1161}", "가"), ("か\u{3099}", "が"), ("Straße", "STRASSE"), ("ΣΟΦΟΣ", "σοφός"),
        ("Ｔｅａ", "tea"), ("a\u{0}b tea", "tea"),
    ])
    func `Words match without regard to case, accents and normalization`(text: String, typed: String) {
        var list = PickList([Self.item("other"), Self.item(text)])
        for character in typed { list.apply(.character(character)) }
        #expect(list.matches == [1], "\(text) \(typed)")
    }

    @Test(arguments: [10, 40, 80, 200], [4, 9, 10, 24])
    func `The picture fits the terminal and contains no control characters of texts`(
        columns: Int, rows: Int
    ) {
        var list = PickList(
            (0..<30).map { Self.item("日本語のとても長い題名 \($0) " + Self.hostile + "\n\nmore") })
        for _ in 0..<25 { list.apply(.down) }
        let screen = PickScreen(columns: columns, rows: rows, isStyled: false, remark: "remark")
        let lines = screen.lines(
            of: list, text: Self.hostile + "\n\tmore 日本語" + String(repeating: "x", count: 500))
        #expect(lines.count <= rows)
        for line in lines {
            #expect(TextWidth.columns(of: line) <= columns, "\(line)")
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(line)")
        }
        #expect(lines.contains { $0.hasPrefix("> 日") || $0.hasPrefix("> …") }, "\(lines)")
    }

    // MARK: Command

    private var environment: [String: String] {
        ["HOME": cli.home.path, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm"]
    }

    private func prepare() throws {
        let folder = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in [
            ("swifts.md", "# Swifts in the roof\n\nThe swifts return in May."),
            ("tea.md", "# Green tea\n\nLeaves."),
            ("evil.md", "# \(Self.hostile)\n\n\(Self.hostile)"),
        ] { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "notes", "--store=s").status == 0)
    }

    private func pick(
        _ arguments: [String], _ more: [String: String] = [:], _ steps: [(text: String, keys: String)]
    ) throws -> (status: Int32, text: String) {
        let (status, output) = try PseudoTerminal.conversation(
            with: CommandLineDriver.binary, ["pick", "--store=s"] + arguments, in: cli.home,
            environment: environment.merging(more) { $1 }, steps: steps)
        return (status, String(decoding: output, as: UTF8.self))
    }

    @Test func `Typed words select the entry whose path is printed`() throws {
        try prepare()
        let picked = try pick(
            ["--builtin", "--print=path"], [:], [("3/3", "gree"), ("1/3", "n tea"), ("> green tea", "\r")])
        #expect(picked.status == 0, "\(picked.text)")
        #expect(picked.text.hasSuffix("/notes/tea.md\r\n"), "\(picked.text.suffix(200).debugDescription)")
        // The list is on the other screen of the terminal, which is left at the end.
        #expect(picked.text.contains("\u{1B}[?1049h") && picked.text.contains("\u{1B}[?1049l"))
        #expect(picked.text.contains("Leaves."))
        // The escape sequences that are left are those of the picture.
        var rest = picked.text.replacing("\r\n", with: "\n")
        rest.replace(#/\u{1B}\[(\?1049[hl]|\?25[hl]|H|K|J|[0-9;]*m|1;[0-9]+H)/#, with: "")
        let control = rest.unicodeScalars.first { $0 != "\n" && $0.properties.generalCategory == .control }
        #expect(control == nil, "\(rest.debugDescription)")
    }

    @Test func `Escape and Ctrl-C close the list, and Enter opens the entry in the editor`() throws {
        try prepare()
        for key in ["\u{1B}", "\u{03}"] {
            let closed = try pick(["--builtin"], [:], [("3/3", key)])
            #expect(closed.status == 130 && closed.text.hasSuffix("\u{1B}[?1049l\u{1B}[?25h"), "\(closed)")
        }
        let opened = try pick(["--builtin", "swifts", "roof"], ["EDITOR": "echo opened"], [("/1", "\r")])
        #expect(opened.status == 0 && opened.text.contains("opened"), "\(opened)")
        #expect(opened.text.contains("notes/swifts.md\r\n"), "\(opened)")
        let shown = try pick(["--builtin", "--no-pager"], [:], [("3/3", "swifts"), ("1/3", "\r")])
        #expect(shown.status == 0 && shown.text.contains("passages"), "\(shown)")
    }

    @Test func `fzf gets harmless lines and a preview if it is installed`() throws {
        try prepare()
        let folder = cli.home.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Chooses the second line, and runs the preview of all lines as fzf does.
        let script = """
            #!/bin/sh
            cat > lines
            for argument in "$@"; do preview=$argument; done
            cut -f1 lines | while read -r id; do sh -c "$(printf %s "$preview" | sed "s/{1}/'$id'/")"; done > preview
            sed -n 2p lines
            """
        try Data(script.utf8).write(to: folder.appendingPathComponent("fzf"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/fzf")
        let picked = try pick(["--print=id"], ["PATH": "\(folder.path):/usr/bin:/bin"], [])
        func contents(_ name: String) throws -> String {
            try String(contentsOf: cli.home.appendingPathComponent(name), encoding: .utf8)
        }
        let lines = try contents("lines")
        let id = lines.split(separator: "\n")[1].prefix { $0 != "\t" }
        #expect(picked.status == 0 && picked.text == "\(id)\r\n", "\(picked)")
        let preview = try contents("preview")
        #expect(preview.contains("The swifts return in May.") && preview.contains("Leaves."), "\(preview)")
        for text in [lines, preview] {
            #expect(
                !text.unicodeScalars.contains {
                    !"\n\t".unicodeScalars.contains($0) && $0.properties.generalCategory == .control
                }, "\(text.debugDescription)")
        }
    }

    @Test func `Without a terminal or entries, there is a message`() throws {
        try prepare()
        let piped = try cli.roost("pick", "--store=s")
        #expect(piped.status == 64 && piped.error.contains("must be a terminal"), "\(piped)")
        let empty = try pick(["--builtin", "--tag=none"], [:], [])
        #expect(empty.status == 1 && empty.text.contains("no entry matches"), "\(empty)")
    }
}
