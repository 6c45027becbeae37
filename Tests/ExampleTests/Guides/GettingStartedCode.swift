import Foundation
import Roost
import TestSupport
import Testing

// The code of the article *Getting started*, of the tutorial, and the first lines of *Writing a storage provider*. It is compiled and not run, because it needs
// an installed model and writes to the folders of the user; the test below makes the same calls.

private func openStore() async throws {
    let folder = try FileManager.default
        .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        .appending(path: "Notes")
    let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM)

    try await store.add("The swift is back above the roof.", tags: ["birds"], metadata: ["year": 2024])
    try await store.ingest(folder: URL.homeDirectory.appending(path: "Notes"), pruning: true)

    let result = try await store.search("birds", matching: [.metadata("year") >= 2020])
    for hit in result.hits { print(hit.rank, hit.score, hit.entry.content) }

    let report = try await store.recluster()
    for cluster in report.clusters { print(cluster.label, cluster.members.count) }

    for try await entry in store.entries(matching: [.tag("draft")]) { print(entry.content) }
    print(try await store.count(matching: [.tag("draft")]))
    try await store.remove(matching: [.tag("draft")])
}

private func openCustomStorage(in folder: URL) async throws {
    let mine = try NotesStorage(folder: folder)
    let store = try await KnowledgeStore(storage: mine, model: .miniLM)
    print(try await store.search("birds"))
}

private func undoRemoval(in folder: URL) async throws {
    let undo = UndoRecorder(directory: folder, command: "remove drafts")
    let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM, recording: undo)
    try await store.remove(matching: [.tag("draft")])
    try await store.undo()
}

private func searchNotes() async throws {
    let folder = try FileManager.default
        .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        .appending(path: "Notes")
    let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM)

    try await store.add("The swifts are back above the roof.")
    try await store.add("Swallows and martins return in April.")
    try await store.add("Feed the sourdough on Friday evening.")
    try await store.add("The baguettes need fifteen minutes of steam.")

    for hit in try await store.search("birds in spring", limit: 2).hits {
        print(hit.score, hit.entry.content)
    }

    let report = try await store.recluster()
    for cluster in report.clusters {
        print("\(cluster.label): \(cluster.members.count) notes")
    }
}

@Suite(.temporaryFolders) struct GettingStartedTests {
    @Test func `a removal is undone`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let undo = UndoRecorder(directory: folder, command: "remove drafts")
        let store = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical, recording: undo)
        let added = try await store.add("a first version", tags: ["draft"])
        try await store.add("another text")
        undo.beginGroup("remove")
        #expect(try await store.count(matching: [.tag("draft")]) == 1)
        #expect(try await store.remove(matching: [.tag("draft")]) == 1)
        #expect(try await store.entry(added.id) == nil)
        #expect(try await store.undo().restored == 1)
        #expect(try await store.entry(added.id)?.content == "a first version")
        #expect(try await store.count() == 2)
        try await store.close()
    }
}
