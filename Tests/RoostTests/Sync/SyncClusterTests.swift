import Foundation
import TestSupport
import Testing

@testable import Roost

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
        return try await fixture.store.clusters().first { $0.members.contains(id) }
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
        try await fixture.store.labelCluster(target.id, as: "Sailing")
        try await fixture.store.addTag("mine", to: [entry.id])
        #expect(try await fixture.store.moveEntries([entry.id], to: target.id) == 1)
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
        #expect(try await fixture.store.moveEntries([entry.id], to: target.id) == 1)
        // An earlier version recorded no reader.
        let record = Source(id: try #require(entry.source), fingerprint: "earlier")
        _ = try await fixture.store.storage.commit(WriteBatch(sources: [record]))
        #expect(try await fixture.sync().entries.updated == 1)
        #expect(try await cluster(of: "4.md", in: fixture)?.id == target.id)
    }
}
