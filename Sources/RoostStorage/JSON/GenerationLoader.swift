import Foundation
import RoostFiles
import RoostModel

/// Brings the state in memory up to date with the files of a store: first loads the generation that `CURRENT`
/// names, and then applies the later commits with ``JournalReplayer``.
struct GenerationLoader {
    let folder: StoreFolder
    let access: StoreAccess

    /// The maximum number of attempts to open the current generation. Another process can remove a generation
    /// after `CURRENT` was read and before the files are opened; the next attempt then finds a newer
    /// generation. If several attempts in a row fail, files are missing.
    private static let maximumAttempts = 10

    /// Updates the state to the latest commit.
    ///
    /// - Throws: `StorageError`: `.damaged`, `.newerFormat`, `.locked`; `FileError`.
    func refresh(_ loaded: inout LoadedStore) throws {
        for attempt in 1... {
            do {
                try refreshOnce(&loaded)
                return
            } catch let error as FileError where error.isMissing && attempt < Self.maximumAttempts {
                loaded.current = nil
            } catch let error as FileError where error.isMissing {
                throw Self.missing(error.path)
            }
        }
    }

    private func refreshOnce(_ loaded: inout LoadedStore) throws {
        guard let current = try StoreFolder.contents(of: folder.current) else {
            return try loadForeignFiles(&loaded)
        }
        // Reads the mark before the journal. A commit between the two reads can then only make the journal
        // longer than the mark states, not shorter.
        let mark = CommitMark(in: folder)
        if current != loaded.current {
            try load(try Generation.decoded(current, path: folder.current.path), &loaded)
            loaded.current = current
            loaded.journalLength = 0
        }
        guard let generation = loaded.generation else { return }
        loaded.committedLength = mark.flatMap { $0.generation == generation.number ? $0.length : nil }
        try JournalReplayer(folder: folder, access: access).replay(generation.number, into: &loaded)
    }

    private func load(_ generation: Generation, _ loaded: inout LoadedStore) throws {
        (loaded.state, loaded.contents) = try generation.open(in: folder)
        loaded.generation = generation
    }

    /// Loads a folder to which Roost has not committed anything. The store gets its permanent id at the first
    /// commit. Until then, other programs may write the files.
    private func loadForeignFiles(_ loaded: inout LoadedStore) throws {
        guard !folder.hasHistory else { throw Self.missing(folder.current.path) }
        let files = ForeignFolder.signatures(folder.url)
        if loaded.foreignFiles != files {
            loaded = LoadedStore(state: try ForeignFolder.read(folder.url), foreignFiles: files)
        }
    }

    /// Returns the error that reports a missing file of a store.
    static func missing(_ path: String) -> StorageError {
        StorageError(.damaged, "cannot read the store: \(path) is missing", remedy: .inspectStore)
    }
}
