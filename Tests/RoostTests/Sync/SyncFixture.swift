import Foundation
import TestSupport
import Testing

@testable import Roost

/// A folder with files, and a store that is synced with it.
final class SyncFixture {
    let store: KnowledgeStore
    let embedder: RecordingEmbedder
    /// The path of the folder, without symbolic links.
    let root: URL
    /// The folder with the state of its last sync.
    var tree: SyncTree
    /// The options of ``sync()``.
    var options = SyncOptions()

    /// Creates an empty folder and a store in memory.
    ///
    /// - Precondition: The test or its suite has the trait `.temporaryFolders`.
    init() throws {
        embedder = RecordingEmbedder()
        store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: embedder)
        root = try TemporaryFolder().url.resolvingSymlinksInPath()
        tree = SyncTree(folder: SyncedFolder(root), state: SyncState())
    }

    /// Writes a file, and creates its folder if necessary.
    ///
    /// - Parameter atomically: Whether the file is replaced by another one, as most editors do.
    func write(_ text: String, to path: String, atomically: Bool = true) throws {
        let url = root.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        if atomically || !FileManager.default.fileExists(atPath: url.path) {
            try Data(text.utf8).write(to: url, options: .atomic)
        } else {
            let file = try FileHandle(forWritingTo: url)
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        }
    }

    /// Renames a file or folder as the system call does: an existing file is replaced.
    func rename(_ path: String, to target: String) throws {
        let url = root.appendingPathComponent(target)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(Foundation.rename(root.appendingPathComponent(path).path, url.path) == 0)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: root.appendingPathComponent(path))
    }

    @discardableResult
    func sync(_ decision: RemovalDecision = .remove) async throws -> IngestReport {
        var options = options
        options.decide = { _ in decision }
        var trees = [tree]
        let report = try await FolderSync(store: store, options: options).run(&trees).report
        tree = trees[0]
        return report
    }

    /// Returns the entries by the paths of their files, relative to the folder.
    func entries() async throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for try await entry in store.entries() {
            let path = entry.source.flatMap { URL(string: $0)?.path } ?? ""
            let relative = tree.folder.relativePath(of: path) ?? path
            #expect(entries[relative] == nil, "\(relative) has two entries")
            entries[relative] = entry
        }
        return entries
    }
}
