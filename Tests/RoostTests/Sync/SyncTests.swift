import Foundation
import RoostDocuments
import Synchronization
import TestSupport
import Testing

@testable import Roost

@Suite(.temporaryFolders) struct SyncTests {
    @Test func `an emptied file keeps its entry until it has a text again`() async throws {
        let fixture = try SyncFixture()
        try fixture.write("Swifts sleep on the wing.", to: "a.md")
        try fixture.write(#"{"id":"1","text":"a row"}"#, to: "rows.jsonl")
        try fixture.write("", to: "new.md")
        try await fixture.sync()
        let old = try await fixture.entries()
        #expect(old.count == 2)
        let id = try #require(old["a.md"]?.id)
        try await fixture.store.update([id], EntryChanges(addedTags: ["birds"]))
        try fixture.write("", to: "a.md", atomically: false)
        try fixture.write(" \n", to: "rows.jsonl", atomically: false)
        for _ in 0..<2 {
            // The second sync reports them too.
            let report = try await fixture.sync()
            #expect(!report.hasChanges)
            #expect(report.skipped.count { $0.reason == RecordReader.emptyReason } == 2)
            let entries = try await fixture.entries()
            #expect(entries["a.md"]?.tags == ["birds"] && entries["rows.jsonl"]?.content == "a row")
        }
        try fixture.write("Swifts nest under roofs.", to: "a.md", atomically: false)
        let report = try await fixture.sync()
        #expect(report.updated == 1 && report.new == 0)
        let entry = try #require(try await fixture.entries()["a.md"])
        #expect(entry.id == id && entry.tags == ["birds"] && entry.content.contains("roofs"))
        #expect(entry.createdAt == old["a.md"]?.createdAt)
        try fixture.remove("rows.jsonl")
        #expect(try await fixture.sync().removed == 1)
    }

    @Test func `a file whose converter fails keeps its entry`() async throws {
        let fixture = try SyncFixture()
        let program = try TemporaryFolder().url.appendingPathComponent("convert")
        /// Syncs with another converter, with which the state of the last sync does not count.
        func sync(_ script: String?) async throws -> IngestReport {
            try? FileManager.default.removeItem(at: program)
            if let script { try writeScript(script, to: program) }
            var folder = fixture.tree.folder
            folder.converters = ["org": program.path]
            fixture.tree = SyncTree(folder: folder, state: SyncState())
            return try await fixture.sync()
        }
        try fixture.write("Swifts sleep on the wing.", to: "a.org")
        #expect(try await sync("cat \"$1\"").new == 1)
        let old = try #require(try await fixture.entries()["a.org"])
        try fixture.write("Swifts nest under roofs.", to: "a.org")
        for script in ["exit 65", "exit 0", "cat \"$1\"; exit 1", "printf '\\377'", nil] {
            let report = try await sync(script)
            #expect(report.removed == 0 && report.updated == 0, "\(script ?? "")")
            #expect(report.skipped.count == 1, "\(script ?? "")")
            #expect(try await fixture.entries()["a.org"] == old, "\(script ?? "")")
        }
        #expect(try await sync("cat \"$1\"").updated == 1)
        let new = try #require(try await fixture.entries()["a.org"])
        #expect(new.id == old.id && new.content.contains("roofs"))
    }

    @Test func `a file whose program was missing is read by the next sync`() async throws {
        let fixture = try SyncFixture()
        fixture.options.settlingTime = 0
        let program = try TemporaryFolder().url.appendingPathComponent("convert")
        var folder = fixture.tree.folder
        folder.converters = ["org": program.path]
        fixture.tree = SyncTree(folder: folder, state: SyncState())
        try fixture.write("Swifts sleep on the wing.", to: "a.org")
        // The status of a file is recorded only if its times are in the past.
        try await Task.sleep(for: .milliseconds(50))
        #expect(try await fixture.sync().skipped.count == 1)
        try writeScript("cat \"$1\"", to: program)
        #expect(try await fixture.sync().new == 1)
        #expect(
            DocumentError.programLimitExceeded("").isTransient && !DocumentError.limitExceeded("").isTransient
        )
    }

    @Test func `a renamed folder with a table keeps all entries`() async throws {
        let fixture = try SyncFixture()
        let rows = (0..<300).map { "{\"id\": \"\($0)\", \"text\": \"row number \($0)\"}\n" }
        try fixture.write(rows.joined(), to: "old/rows.jsonl")
        try fixture.write("a note", to: "old/note.md")
        try await fixture.sync()
        func ids() async throws -> Set<Entry.ID> {
            var ids = Set<Entry.ID>()
            for try await entry in fixture.store.entries() { ids.insert(entry.id) }
            return ids
        }
        let old = try await ids()
        _ = fixture.embedder.takeTexts()
        try fixture.rename("old", to: "new")
        let moved = try await fixture.sync()
        #expect(moved.movedFiles == 2 && moved.unchanged == 301)
        #expect(try await ids() == old)
        // One row is changed, one removed and one added.
        var edited = rows
        edited[7] = "{\"id\": \"7\", \"text\": \"an edited row\"}\n"
        edited[8] = "{\"id\": \"new\", \"text\": \"a new row\"}\n"
        try fixture.write(edited.joined(), to: "new/rows.jsonl")
        let report = try await fixture.sync()
        #expect((report.new, report.updated, report.removed) == (1, 1, 1))
        #expect(old.subtracting(try await ids()).count == 1)
        #expect(fixture.embedder.takeTexts().sorted() == ["a new row", "an edited row"])
    }

    @Test func `a file that moves to another folder of the store keeps its entry`() async throws {
        let fixture = try SyncFixture()
        try fixture.write("a note that moves", to: "one/a.md")
        try fixture.write("a note that stays", to: "two/b.md")
        var trees = ["one", "two"].map {
            SyncTree(folder: SyncedFolder(fixture.root.appendingPathComponent($0)), state: SyncState())
        }
        let sync = FolderSync(store: fixture.store, options: SyncOptions())
        _ = try await sync.run(&trees).report
        let old = try await fixture.entries()
        try fixture.rename("one/a.md", to: "two/a.md")
        let report = try await sync.run(&trees).report
        #expect(report.movedFiles == 1 && report.skippedFolders.isEmpty)
        #expect(try await fixture.entries()["two/a.md"]?.id == old["one/a.md"]?.id)
    }

    @Test func `a hard link is a new entry, and the file keeps its own`() async throws {
        let fixture = try SyncFixture()
        try fixture.write("a note", to: "a.md")
        try await fixture.sync()
        let entry = try #require(try await fixture.entries()["a.md"])
        let root = fixture.root.path
        #expect(link(root + "/a.md", root + "/b.md") == 0)
        let report = try await fixture.sync()
        #expect(report.movedFiles == 0 && report.new == 1)
        #expect(try await fixture.entries()["a.md"] == entry)
    }

    @Test func `an ingest of a renamed file does not take over the entry of another file`() async throws {
        let fixture = try SyncFixture()
        try fixture.write("one", to: "a.md")
        try await fixture.sync()
        try fixture.rename("a.md", to: "b.md")
        try await fixture.sync()
        try fixture.write("two", to: "a.md")
        let report = try await fixture.store.ingest(folder: fixture.root)
        #expect(report.new == 1 && report.unchanged == 1)
        #expect(try await fixture.entries().mapValues(\.content) == ["a.md": "two", "b.md": "one"])
    }

    @Test func `unchanged files are not read, and removed entries come back`() async throws {
        let fixture = try SyncFixture()
        fixture.options.settlingTime = 0
        try fixture.write("a text", to: "a.md")
        try await Task.sleep(for: .milliseconds(20))
        try await fixture.sync()
        // The contents change, but the status does not say so: the file is not read.
        let key = try #require(fixture.tree.state.files.keys.first)
        var status = FileStatus(size: 0, modified: 0, changed: 0, inode: 0)
        try fixture.write("another text", to: "a.md")
        let walk = try FileFinder().walk(fixture.root)
        status = try #require(walk.files.first?.status)
        fixture.tree.state.files[key]?.status = status
        #expect(try await fixture.sync().hasChanges == false)
        #expect(try await fixture.entries()["a.md"]?.content == "a text")
        // After a change by another command, the entries are checked.
        let id = try #require(try await fixture.entries()["a.md"]?.id)
        try await fixture.store.remove(id)
        #expect(try await fixture.sync().new == 1)
        #expect(try await fixture.entries()["a.md"]?.content == "another text")
    }

    @Test func `times that 64 bits cannot hold are not settled, and end no program`() {
        let now = FileStatus.now
        for seconds in [Int.max, 1 << 40, Int.min] {
            let time = FileStatus.nanoseconds(timespec(tv_sec: seconds, tv_nsec: 999_999_999))
            #expect((time > now) == (seconds > 0))
            let status = FileStatus(size: 1, modified: time, changed: time, inode: 1)
            #expect(!status.isSettled(at: time))
            #expect(status.isSettled(at: now) == (seconds < 0))
        }
    }

    @Test func `the share of the files that are read is reported`() async throws {
        let fixture = try SyncFixture()
        // A commit contains 256 entries.
        for number in 0..<400 { try fixture.write("text \(number)", to: "\(number).md") }
        let shares = Mutex<[Double]>([])
        fixture.options.progress = { step in shares.withLock { $0.append(step.fractionOfFiles) } }
        try await fixture.sync()
        let found = shares.withLock(\.self)
        #expect(found == found.sorted() && found.last == 1, "\(found)")
        #expect(found.contains { (0.2...0.8).contains($0) }, "\(found)")
    }

    @Test func `a dry run changes nothing`() async throws {
        let fixture = try SyncFixture()
        for number in 0..<6 { try fixture.write("text \(number)", to: "\(number).md") }
        try await fixture.sync()
        try fixture.rename("0.md", to: "moved.md")
        try fixture.write("edited", to: "1.md")
        try fixture.remove("2.md")
        try fixture.write("new", to: "new.md")
        let before = try await fixture.entries()
        fixture.options.isDryRun = true
        for isDryRun in [true, false] {
            fixture.options.isDryRun = isDryRun
            let report = try await fixture.sync()
            #expect(report.movedFiles == 1, "dry run: \(isDryRun)")
            // The file that was renamed is also updated, because its name is its title.
            let updated = isDryRun ? 1 : 2
            #expect((report.new, report.updated, report.removed) == (1, updated, 1), "dry run: \(isDryRun)")
            #expect(report.unchanged == 3, "dry run: \(isDryRun)")
            if isDryRun { #expect(try await fixture.entries() == before) }
        }
    }

    @Test func `a file that was not read to its end loses no entries, and each fault is reported once`()
        async throws
    {
        let fixture = try SyncFixture()
        fixture.options.settlingTime = 0
        let (one, two) = (#"{"id": 1, "text": "one"}"#, #"{"id": 2, "text": "two"}"#)
        try fixture.write("\(one)\n\(two)\n", to: "rows.jsonl")
        #expect(try await fixture.sync().new == 2)
        try fixture.write("\(one)\n\(two.dropLast(3))\n", to: "rows.jsonl")
        let partial = try await fixture.sync()
        #expect((partial.removed, partial.unchanged, partial.skipped.count) == (0, 1, 1))
        #expect(partial.skipped.first?.source.hasSuffix("rows.jsonl, line 2") == true)
        let again = try await fixture.sync()
        #expect((again.removed, again.unchanged, again.skipped.count) == (0, 2, 0))
        // The same holds for an ingest that reads the file again.
        let ingested = try await fixture.store.ingest(folder: fixture.root, pruning: true)
        #expect((ingested.removed, ingested.skipped.count) == (0, 1))
        try fixture.write("\(one)\n", to: "rows.jsonl")
        #expect(try await fixture.sync().removed == 1)
    }
}
