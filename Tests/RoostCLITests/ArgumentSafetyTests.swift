import Foundation
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of arguments that would make a command act on more than the user intended.
@Suite(.temporaryFolders) struct ArgumentSafetyTests {
    private let cli = CommandLineDriver()

    /// Ingests rows into the store `s`.
    private func prepare(_ count: Int) throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        let rows = (0..<count).map { "{\"id\":\($0),\"text\":\"text number \($0)\"}" }
        try rows.joined(separator: "\n").write(
            to: cli.home.appendingPathComponent("t.jsonl"), atomically: true, encoding: .utf8)
        #expect(try cli.roost("ingest", "t.jsonl", "--store=s", "-q").status == 0)
    }

    @Test(arguments: [
        ["remove", "--source", ""], ["remove", "--source="], ["ingest", "t.jsonl", ""],
        ["init", "x", "--url="],
        ["config", ""], [""],
    ])
    func `an empty argument is an error`(arguments: [String]) {
        let error = #expect(throws: CommandError.self) {
            try ArgumentCheck.requireNonemptyValues(arguments)
        }
        #expect(
            error?.status == .usage && error?.message.contains("argument \(arguments.count) is empty") == true
        )
    }

    @Test func `an empty prefix of a model and an empty query of a condition are accepted`() throws {
        try ArgumentCheck.requireNonemptyValues([
            "model", "add", "x", "--query-prefix", "", "--document-prefix=", "--where=a=",
        ])
    }

    @Test func `nothing is removed or created for an empty argument`() throws {
        try prepare(3)
        for arguments in [["remove", "--store=s", "--source", ""], ["init", ""]] {
            #expect(try cli.roost(arguments).status == 64, "\(arguments)")
        }
        #expect(try cli.roost("list", "--store=s", "--count").output == "3\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: cli.home.path).sorted()
        #expect(names == ["s", "t.jsonl"], "\(names)")
    }

    @Test func `an argument that is not valid UTF-8, and a tag with a line feed, are refused`() throws {
        let script = #"exec "$0" add --store=s "$(printf 'caf\351 noir')""#
        let invalid = try cli.start([], launcher: ["/bin/sh", "-c", script]).outcome()
        #expect(invalid.status == 65 && invalid.error.contains("not valid UTF-8"), "\(invalid)")
        let tag = try cli.roost("add", "x", "--tag", "a\nb", "--store=s")
        #expect(tag.status == 64 && tag.error.contains("control characters"), "\(tag)")
    }

    @Test func `many entries are removed only with --yes`() throws {
        try prepare(21)
        let refused = try cli.roost("remove", "--store=s", "--source", "t.jsonl")
        #expect(refused.status == 64 && refused.error.contains("--yes"), "\(refused.error)")
        let listed = try cli.roost("remove", "--store=s", "--source", "t.jsonl", "--dry-run")
        // The rows are those of a list, in the same order.
        #expect(listed.output == (try cli.roost("list", "--store=s").output) + "would remove 21 entries\n")
        let removed = try cli.roost("remove", "--store=s", "--source", "t.jsonl", "--yes")
        #expect(removed.status == 0 && removed.output == "removed 21 entries\n", "\(removed)")
        #expect(try cli.roost("list", "--store=s", "--count").output == "0\n")
    }
}
