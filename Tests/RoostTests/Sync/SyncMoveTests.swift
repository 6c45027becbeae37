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

    /// Returns the moves of a chain of files, each of which has the former contents and inode of the file
    /// before it.
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

/// Tests of the clusters of files that are renamed.
@Suite(.temporaryFolders) struct SyncClusterTests {
    /// A file whose name is its title.
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
        #expect(try await fixture.sync().entries.updated == 1)
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
        #expect(try await fixture.sync().entries.updated == 1)
        #expect(try await cluster(of: "4.md", in: fixture)?.id == target.id)
    }
}
