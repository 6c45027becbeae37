import Foundation
import TestSupport
import Testing

@testable import Roost

@Suite struct MoveDetectionTests {
    @Test func `a missing file moves to the first equal file with its name, or else to the first one left`() {
        let origins = ["/a/x", "/a/y", "/a/z", "/a/v", "/a/w"].map { path in
            MoveDetection.Origin(source: "file://" + path, digest: "d", isMissing: true, status: nil)
        }
        let candidates = ["/b/1", "/b/z", "/c/z", "/b/2"].map { path in
            SyncCandidate(
                file: FolderWalk.File(path: path, relativePath: path, status: nil), source: "file://" + path,
                record: nil, isRepeated: false)
        }
        let digests = Dictionary(uniqueKeysWithValues: candidates.map { ($0.source, "d") })
        let moves = MoveDetection(from: origins, to: candidates).moves(digests)
        #expect(moves.map(\.origin) == origins.dropLast().map(\.source))
        #expect(moves.map(\.target) == ["file:///b/1", "file:///b/z", "file:///c/z", "file:///b/2"])
    }

    /// Returns the moves of a chain of files, each of which has the former contents and inode of the file before it.
    private func moves(ofChain count: Int, lastIsNew: Bool) -> [SourceMove] {
        func status(_ number: Int) -> FileStatus {
            FileStatus(size: 1, modified: 0, changed: 0, inode: UInt64(number))
        }
        let origins = (0..<count).map { number in
            MoveDetection.Origin(
                source: "file:///\(number)", digest: "\(number)", isMissing: number == 0,
                status: status(number))
        }
        let candidates = (1...count).map { number in
            let path = "/\(number)"
            let isNew = lastIsNew && number == count
            return SyncCandidate(
                file: FolderWalk.File(path: path, relativePath: path, status: status(number - 1)),
                source: "file://" + path,
                record: isNew ? nil : Source(id: "file://" + path, fingerprint: "f", entryIDs: []))
        }
        let digests = Dictionary(uniqueKeysWithValues: candidates.enumerated().map { ($1.source, "\($0)") })
        return MoveDetection(from: origins, to: candidates).moves(digests)
    }

    @Test func `a chain of moves is followed`() {
        let moves = moves(ofChain: 20, lastIsNew: true)
        #expect(moves.map(\.origin) == (0..<20).map { "file:///\($0)" })
        #expect(moves.map(\.target) == (1...20).map { "file:///\($0)" })
        // The last file was overwritten, so it and all files before it keep their own entries.
        #expect(self.moves(ofChain: 20, lastIsNew: false).isEmpty)
    }
}

@Suite(.temporaryFolders) struct SyncClusterTests {
    private static let named = "Baking with Tom.md"

    /// Syncs a folder with ten files on each of four subjects, which become four clusters.
    private func prepare() async throws -> SyncFixture {
        let fixture = try SyncFixture()
        for number in 0..<40 {
            let name = number == 0 ? Self.named : "\(number).md"
            try fixture.write("\(SampleTexts.subjects[number % 4]) \(number)", to: name)
        }
        try await fixture.sync()
        _ = try await fixture.store.recluster(clusters: 4, seed: 1)
        return fixture
    }

    private func cluster(of path: String, in fixture: SyncFixture) async throws -> Cluster? {
        let id = try #require(try await fixture.entries()[path]?.id, "\(path)")
        return try await fixture.store.clusters.all().first { $0.members.contains(id) }
    }

    /// A file with another extension, or whose name is its title, is read again.
    @Test(arguments: [
        ("4.md", "sub/renamed.md"), ("4.md", "4.txt"), (named, "Baking with Ann.md"),
    ])
    func `a renamed file stays in the cluster into which it was moved`(
        name: String, newName: String
    ) async throws {
        let fixture = try await prepare()
        let entry = try #require(try await fixture.entries()[name])
        let former = try #require(try await cluster(of: name, in: fixture))
        let target = try #require(try await cluster(of: "1.md", in: fixture))
        #expect(former.id != target.id)
        try await fixture.store.clusters.label(target.id, as: "Sailing")
        try await fixture.store.update([entry.id], EntryChanges(addedTags: ["mine"]))
        #expect(try await fixture.store.clusters.move([entry.id], to: target.id) == 1)
        try fixture.rename(name, to: newName)
        #expect(try await fixture.sync().movedFiles == 1)
        let renamed = try #require(try await fixture.entries()[newName])
        #expect(renamed.id == entry.id && renamed.tags == ["mine"])
        let found = try #require(try await cluster(of: newName, in: fixture))
        #expect(found.id == target.id && found.label == "Sailing" && found.isLabelPinned)
        // A file with another text is assigned again.
        try fixture.write("\(SampleTexts.subjects[0]) 99", to: newName)
        #expect(try await fixture.sync().updated == 1)
        #expect(try await cluster(of: newName, in: fixture)?.id != target.id)
    }

    @Test func `a file that another reader reads stays in its cluster`() async throws {
        let fixture = try await prepare()
        let entry = try #require(try await fixture.entries()["4.md"])
        let target = try #require(try await cluster(of: "1.md", in: fixture))
        #expect(try await fixture.store.clusters.move([entry.id], to: target.id) == 1)
        // An earlier version recorded no reader.
        let record = Source(id: try #require(entry.source), fingerprint: "earlier")
        _ = try await fixture.store.storage.commit(WriteBatch(sources: [record]))
        #expect(try await fixture.sync().updated == 1)
        #expect(try await cluster(of: "4.md", in: fixture)?.id == target.id)
    }
}

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
            let reasons = report.skipped.map(\.reason)
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
        #expect(report.new == 5 && report.skipped.isEmpty, "\(report.skipped)")
        fixture.options.willEnter = { _ in }
        #expect(try await fixture.sync().removed == 0)
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
        #expect(try await fixture.sync().updated == 1)
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
        #expect(try await fixture.sync().skipped.count == 1)
        #expect(try await fixture.entries()["a.md"]?.content == "a text")
        let file = try #require(fixture.tree.state.files.values.first)
        #expect(file.problem.contains("binary") && file.entries == 1)
        #expect(try await fixture.sync().skipped.first?.reason == file.problem)
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
