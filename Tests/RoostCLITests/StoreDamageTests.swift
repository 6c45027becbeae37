import Foundation
import Roost
import TestSupport
import Testing

/// Messages about damaged stores name the cause and lead to the repair.
@Suite(.temporaryFolders) struct StoreDamageTests {
    let cli = CommandLineDriver()

    @Test(arguments: ["sqlite", "json"])
    func `a store without its manifest is named, and every command leads to the repair`(
        provider: String
    ) throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        #expect(try cli.roost("add", "--store=s", "a text about swifts").status == 0)
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("s/store.json"))
        for arguments in [
            ["add", "--store=s", "another"], ["init", "--store=s", "--model=lexical", "--provider=json"],
        ] {
            let outcome = try cli.roost(arguments)
            #expect([65, 66].contains(outcome.status), "\(outcome)")
            #expect(outcome.error.contains("store.json"), "\(outcome)")
            #expect(outcome.error.contains("is missing") && outcome.error.contains("`roost doctor --repair`"))
            #expect(!FileManager.default.fileExists(atPath: cli.home.path + "/s/store.json"))
        }
        #expect(try cli.roost("doctor", "--store=s", "--repair").status == 0)
        #expect(try cli.roost("list", "--store=s").output.contains("a text about swifts"))
    }

    @Test(arguments: [("sqlite", "roost.sqlite"), ("json", "Storage/CURRENT")])
    func `a folder in place of a file is named, and the store is repaired after it is moved away`(
        provider: String, name: String
    ) throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        #expect(try cli.roost("add", "--store=s", "a text about swifts").status == 0)
        let file = cli.home.appendingPathComponent("s/\(name)")
        let kept = cli.home.appendingPathComponent("kept")
        try FileManager.default.moveItem(at: file, to: kept)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        for arguments in [["list"], ["doctor", "--repair"]] {
            let outcome = try cli.roost(arguments + ["--store=s"])
            #expect(outcome.status == 74 && outcome.error.contains("s/\(name)"), "\(outcome)")
            #expect(outcome.error.contains("it is a folder, not a file"), "\(outcome)")
        }
        try FileManager.default.removeItem(at: file)
        if provider == "sqlite" { try FileManager.default.moveItem(at: kept, to: file) }
        #expect(try cli.roost("doctor", "--store=s", "--repair").status == 0)
        #expect(try cli.roost("list", "--store=s").output.contains("a text about swifts"))
    }

    @Test func `a repair that could not recover everything names the backups`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider=json").status == 0)
        #expect(try cli.roost("add", "--store=s", "a text about swifts").status == 0)
        let storage = cli.home.appendingPathComponent("s/Storage")
        let journal = try #require(
            FileManager.default.subpaths(atPath: storage.path)?.first { $0.hasPrefix("journal-") })
        try Data().write(to: storage.appendingPathComponent(journal))
        let repaired = try cli.roost("doctor", "--store=s", "--repair")
        #expect(repaired.status == 0 && repaired.output.contains("continues with 0 entries"), "\(repaired)")
        #expect(repaired.error.contains("`roost backup list`"), "\(repaired)")
    }
}
