import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of folders whose files seem to be missing by mistake.
@Suite(.temporaryFolders) struct SyncGuardTests {
    /// Creates a folder with synced files.
    private func prepare(_ count: Int = 10) async throws -> SyncFixture {
        let fixture = try SyncFixture()
        for number in 0..<count { try fixture.write("text number \(number)", to: "\(number).md") }
        try await fixture.sync()
        return fixture
    }

    @Test func `a fifth of the files may be missing, but not more`() async throws {
        let fixture = try await prepare()
        for number in 0..<2 { try fixture.remove("\(number).md") }
        #expect(try await fixture.sync(.skipFolder).entries.removed == 2)
        for number in 2..<4 { try fixture.remove("\(number).md") }
        try fixture.write("new", to: "new.md")
        let report = try await fixture.sync(.skipFolder)
        #expect(report.skippedFolders.count == 1 && !report.hasChanges)
        #expect(report.skippedFolders[0].reason.contains("2 of 8 known files"))
        #expect(try await fixture.entries().count == 8)
        let kept = try await fixture.sync(.keep)
        #expect(kept.entries.new == 1 && kept.entries.removed == 0)
        #expect(try await fixture.sync(.remove).entries.removed == 2)
        #expect(try await fixture.entries().count == 7)
    }

    @Test func `renamed files are not missing`() async throws {
        let fixture = try await prepare()
        for number in 0..<10 { try fixture.rename("\(number).md", to: "new/\(number).md") }
        let report = try await fixture.sync(.skipFolder)
        #expect(report.skippedFolders.isEmpty && report.movedFiles == 10)
    }

    @Test func `an emptied or missing folder changes nothing`() async throws {
        let fixture = try await prepare(3)
        for number in 0..<3 { try fixture.remove("\(number).md") }
        try fixture.write("hidden", to: ".hidden")
        let empty = try await fixture.sync(.skipFolder)
        #expect(empty.skippedFolders.first?.reason.contains("is empty") == true)
        try FileManager.default.removeItem(at: fixture.root)
        let missing = try await fixture.sync(.skipFolder)
        #expect(missing.skippedFolders.first?.reason.contains("does not exist") == true)
        // A file in the place of the folder is no reason to remove entries, either.
        try Data().write(to: fixture.root)
        #expect(try await fixture.sync(.skipFolder).skippedFolders.count == 1)
        #expect(try await fixture.entries().count == 3)
        #expect(try await fixture.sync(.remove).entries.removed == 3)
    }

    @Test func `a file system that is no longer mounted changes nothing`() async throws {
        let fixture = try await prepare()
        fixture.tree.state.isMountPoint = true
        try fixture.remove("0.md")
        let report = try await fixture.sync(.skipFolder)
        #expect(report.skippedFolders.first?.reason.contains("no longer mounted") == true)
    }

    @Test func `the other folders are synced if one is skipped`() async throws {
        let fixture = try SyncFixture()
        try fixture.write("first", to: "one/a.md")
        try fixture.write("second", to: "two/b.md")
        var trees = ["one", "two"].map {
            SyncTree(folder: SyncedFolder(fixture.root.appendingPathComponent($0)), state: SyncState())
        }
        let sync = FolderSync(store: fixture.store, options: SyncOptions())
        _ = try await sync.run(&trees)
        try fixture.remove("one/a.md")
        try fixture.write("third", to: "two/c.md")
        let report = try await sync.run(&trees)
        #expect(report.skippedFolders.count == 1 && report.entries.new == 1)
        #expect(try await fixture.entries().keys.sorted() == ["one/a.md", "two/b.md", "two/c.md"])
    }

    @Test func `a skipped folder inside another one keeps its entries`() async throws {
        let fixture = try SyncFixture()
        for number in 0..<30 { try fixture.write("text number \(number)", to: "\(number).md") }
        try fixture.write("on the stick", to: "stick/a.md")
        var trees = ["", "stick"].map {
            SyncTree(folder: SyncedFolder(fixture.root.appendingPathComponent($0)), state: SyncState())
        }
        let sync = FolderSync(store: fixture.store, options: SyncOptions())
        _ = try await sync.run(&trees)
        try fixture.remove("stick/a.md")
        let report = try await sync.run(&trees)
        #expect(report.skippedFolders.count == 1 && report.entries.removed == 0)
        #expect(try await fixture.entries()["stick/a.md"] != nil)
    }

    @Test func `a file that was replaced by a link to its new place is moved`() async throws {
        let fixture = try await prepare()
        let ids = try await fixture.entries().mapValues(\.id)
        try fixture.rename("0.md", to: "new/0.md")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.root.appendingPathComponent("0.md").path,
            withDestinationPath: fixture.root.appendingPathComponent("new/0.md").path)
        let report = try await fixture.sync(.skipFolder)
        #expect(report.movedFiles == 1 && report.entries.removed == 0)
        let entries = try await fixture.entries()
        #expect(entries.count == 10 && entries["new/0.md"]?.id == ids["0.md"])
    }

    @Test func `a note that is named after its file gets the new name`() async throws {
        let fixture = try SyncFixture()
        try fixture.write("We ate ramen.\n", to: "Dinner with Tom.md")
        _ = try await fixture.sync(.skipFolder)
        let first = try #require(try await fixture.entries()["Dinner with Tom.md"])
        #expect(first.title == "Dinner with Tom")
        _ = fixture.embedder.takeTexts()
        try fixture.rename("Dinner with Tom.md", to: "Lunch with Ann.md")
        #expect(try await fixture.sync(.skipFolder).movedFiles == 1)
        let second = try #require(try await fixture.entries()["Lunch with Ann.md"])
        #expect(second.id == first.id && second.title == "Lunch with Ann")
        #expect(fixture.embedder.takeTexts().isEmpty)
    }
}
