import Foundation
import TestSupport
import Testing

/// Tests of the forms of lists, on terminals and in pipes.
@Suite(.temporaryFolders) struct ListOutputTests {
    private let cli = CommandLineDriver()

    private func prepare() throws {
        let folder = cli.home.appendingPathComponent("notes/deep")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in [
            ("swifts.md", "# Swifts in the roof\n\nThe swifts return in May."),
            ("tea.md", "# 日本のお茶\n\n二分待ちます。"), ("formula.md", "# =1+2, \"quoted\"\n\nnumbers"),
        ] { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
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
