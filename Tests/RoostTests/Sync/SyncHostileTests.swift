import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of folders with unusual files, and of files that change during a sync.
@Suite(.temporaryFolders) struct SyncHostileTests {
    @Test func `links, pipes and names that are not text do not stop a sync`() async throws {
        let fixture = try SyncFixture()
        let manager = FileManager.default
        try fixture.write("a note", to: "a.md")
        try fixture.write("another note", to: "sub/b.md")
        let root = fixture.root.path
        try manager.createSymbolicLink(atPath: root + "/sub/loop", withDestinationPath: "..")
        try manager.createSymbolicLink(atPath: root + "/self.md", withDestinationPath: "self.md")
        try manager.createSymbolicLink(atPath: root + "/same.md", withDestinationPath: "a.md")
        try manager.createSymbolicLink(atPath: root + "/none.md", withDestinationPath: "missing.md")
        #expect(mkfifo(root + "/pipe.md", 0o600) == 0)
        let invalid = Array((root + "/").utf8) + [0xFF, 0xFE] + Array(".md".utf8) + [0]
        let file = invalid.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
        }
        #expect(file >= 0)
        close(file)
        for followsLinks in [false, true] {
            var folder = SyncedFolder(fixture.root)
            folder.followsLinks = followsLinks
            fixture.tree = SyncTree(folder: folder, state: SyncState())
            let report = try await fixture.sync()
            let reasons = report.entries.skipped.map(\.reason)
            #expect(reasons.contains(FileFinder.nameReason), "\(reasons)")
            #expect(reasons.contains { $0.contains("not a regular file") }, "\(reasons)")
            #expect(try await fixture.entries().keys.sorted() == ["a.md", "sub/b.md"])
        }
        #expect(try await fixture.sync().hasChanges == false)
    }

    @Test func `files that vanish during a sync are not reported`() async throws {
        let fixture = try SyncFixture()
        for number in 0..<8 { try fixture.write("text \(number)", to: "d/\(number).md") }
        try fixture.write("text", to: "e/kept.md")
        // The files of the first folder are removed after they have been listed.
        let root = fixture.root
        fixture.options.willEnter = { path in
            guard path.hasSuffix("/e") else { return }
            for number in 0..<4 {
                try? FileManager.default.removeItem(at: root.appendingPathComponent("d/\(number).md"))
            }
        }
        let report = try await fixture.sync()
        #expect(report.entries.new == 5 && report.entries.skipped.isEmpty, "\(report.entries.skipped)")
        fixture.options.willEnter = { _ in }
        #expect(try await fixture.sync().entries.removed == 0)
    }

    @Test func `a file that changes after it was read is read again by the next sync`() async throws {
        let fixture = try SyncFixture()
        fixture.options.settlingTime = 0
        try fixture.write("before", to: "a.md")
        try await Task.sleep(for: .milliseconds(20))
        let file = fixture.root.appendingPathComponent("a.md")
        // The progress is reported when the file has been read, and before its state is recorded.
        fixture.options.progress = { _ in try? Data("after that".utf8).write(to: file) }
        try await fixture.sync()
        #expect(try await fixture.entries()["a.md"]?.content == "before")
        fixture.options.progress = nil
        #expect(try await fixture.sync().entries.updated == 1)
        #expect(try await fixture.entries()["a.md"]?.content == "after that")
        #expect(try await fixture.sync().hasChanges == false)
    }

    @Test func `a file that becomes a folder, and a folder that becomes a file`() async throws {
        let fixture = try SyncFixture()
        try fixture.write("first", to: "a.md")
        try fixture.write("second", to: "b.md/c.md")
        try await fixture.sync()
        try fixture.remove("a.md")
        try fixture.write("third", to: "a.md/d.md")
        try fixture.remove("b.md")
        try fixture.write("fourth", to: "b.md")
        try await fixture.sync()
        #expect(try await fixture.entries().mapValues(\.content) == ["a.md/d.md": "third", "b.md": "fourth"])
    }

    @Test func `an unreadable file keeps its entry, and is not read again while it is unchanged`()
        async throws
    {
        let fixture = try SyncFixture()
        fixture.options.settlingTime = 0
        try fixture.write("a text", to: "a.md")
        try await fixture.sync()
        try fixture.write("binary \u{0} contents", to: "a.md")
        try await Task.sleep(for: .milliseconds(20))
        #expect(try await fixture.sync().entries.skipped.count == 1)
        #expect(try await fixture.entries()["a.md"]?.content == "a text")
        let file = try #require(fixture.tree.state.files.values.first)
        #expect(file.problem.contains("binary") && file.entries == 1)
        #expect(try await fixture.sync().entries.skipped.first?.reason == file.problem)
    }

    @Test func `the store inside of a folder is not read`() async throws {
        let folder = try TemporaryFolder().url
        try Data("a note".utf8).write(to: folder.appendingPathComponent("a.md"))
        let store = try await KnowledgeStore.create(
            at: folder.appendingPathComponent("store"), provider: .json, embedder: LexicalEmbedder())
        let report = try await store.folders.sync([SyncedFolder(folder)])
        try await store.close()
        #expect(report.files == 1 && report.entries.new == 1)
    }

    @Test func `several syncs at once give the result of one`() async throws {
        let folder = try TemporaryFolder().url
        for number in 0..<40 {
            try Data("text \(number)".utf8).write(to: folder.appendingPathComponent("\(number).md"))
        }
        let store = try await KnowledgeStore.create(
            at: try TemporaryFolder().url.appendingPathComponent("store"), embedder: LexicalEmbedder())
        let synced = SyncedFolder(folder)
        async let first = store.folders.sync([synced])
        async let second = store.folders.sync([synced])
        async let third = store.ingest(folder: folder)
        _ = try await (first, second, third)
        let page = try await store.storage.snapshot().entries(after: nil, limit: .max, matching: .all)
        try await store.close()
        #expect(page.entries.count == 40)
    }
}
