import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of folders whose files seem to be missing by mistake.
@Suite(.temporaryFolders) struct SyncGuardTests {
    private func prepare(_ count: Int = 10) async throws -> SyncFixture {
        let fixture = try SyncFixture()
        for number in 0..<count { try fixture.write("text number \(number)", to: "\(number).md") }
        try await fixture.sync()
        return fixture
    }

    @Test func `a fifth of the files may be missing, but not more`() async throws {
        let fixture = try await prepare()
        for number in 0..<2 { try fixture.remove("\(number).md") }
        #expect(try await fixture.sync(.skipFolder).removed == 2)
        for number in 2..<4 { try fixture.remove("\(number).md") }
        try fixture.write("new", to: "new.md")
        let report = try await fixture.sync(.skipFolder)
        #expect(report.skippedFolders.count == 1 && !report.hasChanges)
        #expect(report.skippedFolders[0].reason.contains("2 of 8 known files"))
        #expect(try await fixture.entries().count == 8)
        let kept = try await fixture.sync(.keep)
        #expect(kept.new == 1 && kept.removed == 0)
        #expect(try await fixture.sync(.remove).removed == 2)
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
        #expect(empty.skippedFolders.first?.reason.contains("3 of 3 known files") == true)
        try FileManager.default.removeItem(at: fixture.root)
        let missing = try await fixture.sync(.skipFolder)
        #expect(missing.skippedFolders.first?.reason.contains("does not exist") == true)
        // A file in the place of the folder is no reason to remove entries, either.
        try Data().write(to: fixture.root)
        #expect(try await fixture.sync(.skipFolder).skippedFolders.count == 1)
        #expect(try await fixture.entries().count == 3)
        #expect(try await fixture.sync(.remove).removed == 3)
    }

    @Test func `the other folders are synced if one is skipped`() async throws {
        let fixture = try SyncFixture()
        try fixture.write("first", to: "one/a.md")
        try fixture.write("second", to: "two/b.md")
        var trees = ["one", "two"].map {
            SyncTree(folder: SyncedFolder(fixture.root.appendingPathComponent($0)), state: SyncState())
        }
        let sync = FolderSync(store: fixture.store, options: SyncOptions())
        _ = try await sync.run(&trees).report
        try fixture.remove("one/a.md")
        try fixture.write("third", to: "two/c.md")
        let report = try await sync.run(&trees).report
        #expect(report.skippedFolders.count == 1 && report.new == 1)
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
        _ = try await sync.run(&trees).report
        try fixture.remove("stick/a.md")
        let report = try await sync.run(&trees).report
        #expect(report.skippedFolders.count == 1 && report.removed == 0)
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
        #expect(report.movedFiles == 1 && report.removed == 0)
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

/// Tests of folders that an earlier version of Roost synced, whose readers had other versions.
@Suite(.temporaryFolders) struct ReaderVersionTests {
    private func earlier(_ fingerprint: String) throws -> String {
        let reader = try #require(Source(id: "", fingerprint: fingerprint).readerVersion)
        return fingerprint.replacing(reader, with: "\(reader)0")
    }

    private func fingerprints(_ store: KnowledgeStore) async throws -> Set<String> {
        var result = Set<String>()
        for try await entry in store.entries() {
            let records = try await store.storage.snapshot().sources([entry.source ?? ""])
            result.formUnion(records.map(\.fingerprint))
        }
        return result
    }

    @Test func `unchanged files are read again, and nothing is embedded again`() async throws {
        let base = try TemporaryFolder().url.resolvingSymlinksInPath()
        let notes = base.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        try Data("# Swifts\n\nThey sleep on the wing.\n".utf8).write(to: notes.appendingPathComponent("a.md"))
        try Data("They nest under roofs.\n".utf8).write(to: notes.appendingPathComponent("b.txt"))
        // The status of a file is recorded only if its times are in the past.
        try await Task.sleep(for: .milliseconds(50))
        let (directory, embedder) = (base.appendingPathComponent("store"), RecordingEmbedder())
        let store = try await KnowledgeStore.create(at: directory, embedder: embedder)
        let folder = SyncedFolder(notes)
        var options = SyncOptions()
        options.settlingTime = 0
        try await store.folders.add(folder)
        #expect(try await store.folders.sync([folder], options).new == 2)
        let current = try await fingerprints(store)
        let ids = try await Set(store.storage.fetchEntries().map(\.id))

        // The records of the store and of the folder, as an earlier version would have left them.
        let records = try await store.storage.snapshot().sources(
            store.storage.fetchEntries().compactMap(\.source))
        let batch = WriteBatch(
            sources: try records.map { Source(id: $0.id, fingerprint: try earlier($0.fingerprint)) })
        _ = try await store.storage.commit(batch)
        var state = SyncState(of: folder, in: directory)
        #expect(state.files.count == 2)
        for (path, file) in state.files {
            state.files[path]?.fingerprint = try earlier(file.fingerprint)
        }
        try state.save(of: folder, in: directory)
        _ = embedder.takeTexts()

        // The state says that the current readers have read the files, so they are not read.
        #expect(try await store.folders.sync([folder], options).unchanged == 2)
        #expect(try await fingerprints(store).isDisjoint(with: current))

        // The state of another version of the readers is not used.
        var other = folder
        other.tags = ["another key"]
        #expect(other.readingKey != folder.readingKey)
        state = SyncState(of: folder, in: directory)
        state.checked = .start
        try state.save(of: other, in: directory)
        let report = try await store.folders.sync([folder], options)
        #expect(report.new == 0 && report.removed == 0)
        #expect(try await fingerprints(store) == current)
        #expect(embedder.takeTexts().isEmpty)
        #expect(try await Set(store.storage.fetchEntries().map(\.id)) == ids)
        try await store.close()
    }
}
