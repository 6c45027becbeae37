import Foundation
import TestSupport
import Testing

/// Tests of the importers in `Examples`, and of `roost ingest --importer`.
@Suite(.temporaryFolders) struct ImporterTests {
    private let cli = CommandLineDriver()
    private static let importers = Fixtures.repository.appendingPathComponent("Examples/importers")
    private static let samples = Fixtures.folder.appendingPathComponent("Importers")
    private static let names = [
        "apple-notes", "bear", "bibtex", "bookmarks", "evernote", "ics", "keep", "kindle", "logseq",
        "messenger",
        "notion", "readwise", "roam", "slack", "telegram", "whatsapp", "zotero",
    ]
    /// The importers of texts, which do not show that they were cut.
    private static let namesOfTexts: Set = ["logseq", "notion", "whatsapp"]

    private func run(_ name: String, _ export: URL) throws -> (status: Int32, output: String, error: String) {
        let (process, output, error) = (Process(), Pipe(), cli.home.appendingPathComponent("messages"))
        try cli.write("", to: "messages")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-B", Self.importers.appendingPathComponent("\(name).py").path, export.path,
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(["TZ": "UTC"]) { $1 }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: error)
        try TestTool.start(process)
        let rows = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: rows, as: UTF8.self),
            try String(contentsOf: error, encoding: .utf8)
        )
    }

    @Test(arguments: names)
    func `an importer writes the rows of its sample, and reports a damaged or empty one`(name: String) throws
    {
        let rows = try String(
            contentsOf: Self.samples.appendingPathComponent("\(name).jsonl"), encoding: .utf8)
        let read = try run(name, Self.samples.appendingPathComponent(name))
        #expect(read.status == 0 && read.output == rows, "\(read)")
        #expect(read.error.hasPrefix("read \(rows.split(separator: "\n").count), skipped "), "\(read)")

        let export = cli.home.appendingPathComponent("export")
        try FileManager.default.copyItem(at: Self.samples.appendingPathComponent(name), to: export)
        let paths = try #require(FileManager.default.enumerator(atPath: export.path)).compactMap {
            $0 as? String
        }
        let files = paths.map(export.appendingPathComponent).filter { !$0.hasDirectoryPath }
        let sizes = files.map { (try? Data(contentsOf: $0).count) ?? 0 }
        let largest = try #require(zip(files, sizes).max { $0.1 < $1.1 }?.0)
        let whole = try Data(contentsOf: largest)
        for data in [whole.prefix(whole.count * 6 / 10), Data([0xC3, 0x28, 0xFF])] {
            try data.write(to: largest)
            let damaged = try run(name, export)
            #expect(!damaged.error.contains("Traceback"), "\(damaged)")
            let isFound = data.count == 3 || !Self.namesOfTexts.contains(name)
            #expect(damaged.status == (isFound ? 65 : 0), "\(damaged)")
        }
        for path in files { try FileManager.default.removeItem(at: path) }
        #expect(try run(name, export).status == 66)
    }

    @Test func `an import is compared with the last one, and a failed one removes nothing`() throws {
        try cli.write("", to: ".config/roost/importers/empty")
        // A copy that another test's process inherits while it is written could not be executed.
        try FileManager.default.createSymbolicLink(
            at: cli.home.appendingPathComponent(".config/roost/importers/keep.py"),
            withDestinationURL: Self.importers.appendingPathComponent("keep.py"))
        try FileManager.default.copyItem(
            at: Self.samples.appendingPathComponent("keep"), to: cli.home.appendingPathComponent("Keep"))
        func counts(_ status: Int32 = 0) throws -> String {
            let outcome = try cli.roost("ingest", "--importer", "keep", "Keep")
            #expect(outcome.status == status && outcome.error.contains("keep: read "), "\(outcome)")
            return outcome.output
        }
        #expect(try counts().hasPrefix("2 new, 0 updated, 0 removed, 0 unchanged"))
        #expect(try counts().hasPrefix("0 new, 0 updated, 0 removed, 2 unchanged"))
        try cli.write("{\"title\": ", to: "Keep/Takeout/Keep/River.json")
        #expect(try counts(65).hasPrefix("0 new, 0 updated, 0 removed, 1 unchanged"))
        try FileManager.default.removeItem(
            at: cli.home.appendingPathComponent("Keep/Takeout/Keep/River.json"))
        #expect(try counts().hasPrefix("0 new, 0 updated, 1 removed, 1 unchanged"))
        #expect(try cli.roost("list", "--tag", "garden", "--until", "2024-12-31", "--count").output == "1\n")
    }

    @Test func `an importer that writes nothing, or has an invalid name, creates no store`() throws {
        try cli.write("x", to: ".config/roost/importers/x")
        try writeScript(
            "printf 'a\\033[2J\\nb\\n' >&2; exit 3",
            to: cli.home.appendingPathComponent(".config/roost/importers/roost-import-x"))
        let failed = try cli.roost("ingest", "--importer", "x", ".")
        #expect(failed.status == 65 && failed.error.contains("x failed with exit status 3"), "\(failed)")
        #expect(failed.error.contains("x: b\n") && !failed.error.contains("\u{1B}"), "\(failed)")
        for name in ["../x", "X", "unknown"] {
            try cli.expect(64, "unknown importer", "ingest", "--importer", name, ".")
        }
        #expect(try cli.roost("list").status == 66)
    }

    @Test func `findings are reported by kind, written to a file, and counted by the status`() throws {
        for name in ["a", "b"] { try cli.write("---\ndate: 3/4/2025\n---\nSwifts\n", to: "notes/\(name).md") }
        try Data("Ein Fluss fließt über die Äcker zu den Mühlen.\n".unicodeScalars.map { UInt8($0.value) })
            .write(
                to: cli.home.appendingPathComponent("notes/c.txt"))
        let outcome = try cli.roost("ingest", "notes", "--report", "findings.jsonl")
        #expect(
            outcome.status == 0 && outcome.error.contains("2 dates not understood, such as "), "\(outcome)")
        let lines = try String(contentsOf: cli.home.appendingPathComponent("findings.jsonl"), encoding: .utf8)
        #expect(lines.split(separator: "\n").count { $0.contains(#""kind":"date""#) } == 2, "\(lines)")
        #expect(lines.contains(#""kind":"encoding","reason":"its encoding is guessed: "#), "\(lines)")
        #expect(try cli.roost("ingest", "notes").output.contains("3 unchanged"))
        let status = try cli.roost("status").output
        #expect(status.contains("findings  2 dates not understood, 1 encoding guessed\n"), "\(status)")
    }
}
