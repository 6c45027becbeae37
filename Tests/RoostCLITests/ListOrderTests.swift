import Foundation
import TestSupport
import Testing

/// Tests of the order and the pages of `roost list`.
@Suite(.temporaryFolders) struct ListOrderTests {
    private let cli = CommandLineDriver()

    private func titles(_ arguments: String...) throws -> [String] {
        let outcome = try cli.roost(["list", "--store=s", "--json"] + arguments)
        #expect(outcome.status == 0, "\(outcome.error)")
        let entries = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
        return (entries ?? []).compactMap { $0["content"] as? String }
    }

    private func prepare() throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        let rows = [
            #"{"id": 1, "text": "ccc", "title": "beta", "created": "2025-03-01", "updated": "2025-04-01"}"#,
            #"{"id": 2, "text": "a", "title": "Alpha", "created": "2025-02-01", "updated": "2025-06-01"}"#,
            #"{"id": 3, "text": "bb", "title": "beta", "created": "2025-01-01", "updated": "2025-05-01"}"#,
        ]
        try Data(rows.joined(separator: "\n").utf8).write(to: cli.home.appendingPathComponent("t.jsonl"))
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "t.jsonl", "--store=s").status == 0)
    }

    @Test func `entries are listed in the chosen order`() throws {
        try prepare()
        #expect(try titles() == ["ccc", "a", "bb"])
        #expect(try titles("--sort=added") == titles())
        #expect(try titles("--reverse") == ["bb", "a", "ccc"])
        #expect(try titles("--sort=title") == ["a", "ccc", "bb"])
        #expect(try titles("--sort=created") == ["bb", "a", "ccc"])
        #expect(try titles("--sort=updated") == ["ccc", "bb", "a"])
        #expect(try titles("--sort=updated", "--reverse") == ["a", "bb", "ccc"])
        #expect(try titles("--sort=size") == ["a", "bb", "ccc"])
        #expect(try titles("--sort=source") == ["ccc", "a", "bb"])
    }

    @Test func `pages of a sorted list continue each other`() throws {
        try prepare()
        #expect(try titles("--sort=size", "-n2") == ["a", "bb"])
        #expect(try titles("--sort=size", "-n2", "--offset=2") == ["ccc"])
        #expect(try titles("--offset=1") == ["a", "bb"])
        #expect(try titles("--sort=size", "--where", "title=beta") == ["bb", "ccc"])
        let after = try cli.roost("list", "--store=s", "--offset=3")
        #expect(after.status == 0 && after.output.isEmpty && after.error.contains("no entry follows"))
        #expect(try cli.roost("list", "--store=s", "--offset=-1").status == 64)
        #expect(try cli.roost("list", "--store=s", "--sort=length").error.contains("updated"))
    }
}
