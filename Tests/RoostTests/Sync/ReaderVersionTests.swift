import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of folders that an earlier version of Roost synced, whose readers had other versions.
@Suite(.temporaryFolders) struct ReaderVersionTests {
    /// Returns a fingerprint as the previous version of the reader would have recorded it.
    private func earlier(_ fingerprint: String) throws -> String {
        let version = try #require(ReaderVersion(fingerprint: fingerprint))
        let previous = ReaderVersion(type: version.type, version: version.version - 1)
        return fingerprint.replacingOccurrences(of: version.suffix, with: previous.suffix)
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
        #expect(try await store.folders.sync([folder], options).entries.new == 2)
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
        #expect(try await store.folders.sync([folder], options).entries.unchanged == 2)
        #expect(try await fingerprints(store).isDisjoint(with: current))

        // The state of another version of the readers is not used.
        var other = folder
        other.tags = ["another key"]
        #expect(other.readingKey != folder.readingKey)
        state = SyncState(of: folder, in: directory)
        state.isMountPoint.toggle()
        try state.save(of: other, in: directory)
        let report = try await store.folders.sync([folder], options)
        #expect(report.entries.new == 0 && report.entries.removed == 0)
        #expect(try await fingerprints(store) == current)
        #expect(embedder.takeTexts().isEmpty)
        #expect(try await Set(store.storage.fetchEntries().map(\.id)) == ids)
        try await store.close()
    }
}
