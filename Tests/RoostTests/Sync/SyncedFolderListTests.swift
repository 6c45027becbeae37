import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of the list of remembered folders and of the saved states.
@Suite(.temporaryFolders) struct SyncedFolderListTests {
    @Test func `folders are remembered with their options, and replaced by path`() async throws {
        let directory = try TemporaryFolder().url
        let notes = try TemporaryFolder().url
        let store = try await KnowledgeStore.create(
            at: directory.appendingPathComponent("s"), embedder: LexicalEmbedder())
        var folder = SyncedFolder(notes)
        (folder.globs, folder.exclusions, folder.tags) = (["*.md"], ["drafts"], ["t"])
        (folder.textColumn, folder.idColumn, folder.followsLinks) = ("body", "url", true)
        try await store.folders.add(folder)
        #expect(try store.folders.all() == [folder])
        var other = SyncedFolder(notes)
        other.keepsOriginals = true
        try await store.folders.add(other)
        let list = try store.folders.all()
        #expect(list.count == 1 && list[0].id == folder.id && list[0].keepsOriginals && list[0].globs.isEmpty)
        try await store.folders.remove(folder)
        #expect(try store.folders.all().isEmpty)
        await #expect(throws: RoostError.self) { try await store.folders.remove(folder) }
        await #expect(throws: RoostError.self) {
            try await store.folders.add(SyncedFolder(notes.appendingPathComponent("missing")))
        }
        try await store.close()
    }

    @Test func `a sync does not create the folder of a store that was moved away`() async throws {
        let directory = try TemporaryFolder().url
        let (own, away) = (directory.appendingPathComponent("s"), directory.appendingPathComponent("away"))
        let notes = try TemporaryFolder().url
        let store = try await KnowledgeStore.create(at: own, embedder: LexicalEmbedder())
        try await store.folders.add(SyncedFolder(notes))
        let folders = try store.folders.all()
        try FileManager.default.moveItem(at: own, to: away)
        let error = await #expect(throws: RoostError.self) { _ = try await store.folders.sync(folders) }
        #expect(error?.code == .noStore)
        #expect(!FileManager.default.fileExists(atPath: own.path))
        try FileManager.default.moveItem(at: away, to: own)
        try await store.close()
    }

    @Test func `the folder of the store is not remembered, but folders around it are`() async throws {
        let directory = try TemporaryFolder().url
        let own = directory.appendingPathComponent("s")
        let store = try await KnowledgeStore.create(at: own, embedder: LexicalEmbedder())
        let (inner, link) = (own.appendingPathComponent("backups"), directory.appendingPathComponent("link"))
        // The folder of a store can be that of a project.
        let notes = own.appendingPathComponent("notes")
        for folder in [inner, notes] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        }
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: own)
        for folder in [own, inner, link] {
            let error = await #expect(throws: RoostError.self) {
                try await store.folders.add(SyncedFolder(folder))
            }
            #expect(error?.code == .badInput)
        }
        let neighbor = directory.appendingPathComponent("s2")
        try FileManager.default.createDirectory(at: neighbor, withIntermediateDirectories: false)
        try await store.folders.add(SyncedFolder(directory))
        try await store.folders.add(SyncedFolder(neighbor))
        try await store.folders.add(SyncedFolder(notes))
        #expect(try store.folders.all().count == 3)
        try await store.close()
    }

    @Test func `simultaneous additions are all remembered`() async throws {
        let directory = try TemporaryFolder().url
        let notes = try TemporaryFolder().url
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let folder = SyncedFolder(notes.appendingPathComponent("\(number)"))
                    try await SyncedFolders.change(in: directory) { $0.add(folder) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try SyncedFolders(in: directory).folders.count == 16)
    }

    @Test(
        arguments: [
            "", "[]", "{\"format\": 1}", "{\"format\": 1, \"folders\": [{\"path\": \"relative\"}]}",
            """
            {"format": 1, "folders": [{"id": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "path": "notes"}]}
            """,
            """
            {"format": 1, "folders": [{"id": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "path": "/a", \
            "tags": [""]}]}
            """,
            """
            {"format": 1, "folders": [{"id": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "path": "/a"}, \
            {"id": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "path": "/b"}]}
            """,
            "{\"format\": 2, \"folders\": []}",
        ])
    func `an invalid list is refused`(text: String) throws {
        let directory = try TemporaryFolder().url
        let url = SyncedFolders.url(in: directory)
        try Data(text.utf8).write(to: url)
        let error = #expect(throws: RoostError.self) { try SyncedFolders(in: directory) }
        #expect(error?.message.contains(url.path) == true)
        #expect(error?.code == (text.contains(": 2") ? .newerFormat : .badInput))
    }

    @Test func `a saved state is read again, and a damaged one is ignored`() throws {
        let directory = try TemporaryFolder().url
        let folder = SyncedFolder(directory)
        var state = SyncState()
        for number in 0..<50 {
            state.files[ExactText("n\(number).md")] = SyncState.File(
                status: FileStatus(size: 1, modified: -2, changed: 3, inode: .max),
                source: "file:///\(number)",
                fingerprint: "sha256:\(number)", entries: number, problem: number == 7 ? "reason" : "")
        }
        try state.save(of: folder, in: directory)
        let read = SyncState(of: folder, in: directory)
        #expect(read.files == state.files && !read.isChanged)
        var other = folder
        other.tags = ["new"]
        #expect(SyncState(of: other, in: directory).files.isEmpty, "all files have to be read again")
        let url = SyncState.folder(in: directory).appendingPathComponent(folder.id.text)
        let data = try Data(contentsOf: url)
        var random = Seeded(state: 1)
        for _ in 0..<200 {
            var damaged = data
            damaged[Int(random.next() % UInt64(data.count))] ^= UInt8(1 + random.next() % 255)
            if random.next() % 4 == 0 { damaged = damaged.prefix(Int(random.next() % UInt64(data.count))) }
            try damaged.write(to: url)
            let files = SyncState(of: folder, in: directory).files
            #expect(files.isEmpty || files == state.files)
        }
    }
}
