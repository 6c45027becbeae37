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

    static func missing(_ path: String) -> StorageError {
        StorageError(.damaged, "cannot read the store: \(path) is missing", remedy: .inspectStore)
    }
}

/// Reads a folder that contains only an `entries.json` and a `clusters.json`, written by another program.
enum ForeignFolder {
    struct Signature: Equatable {
        var identity: FileIdentity?
        var size: Int
        var modified: Date?
    }

    static func signatures(_ directory: URL) -> [Signature] {
        [Generation.entriesFile, Generation.clustersFile].map { name in
            let url = directory.appendingPathComponent(name)
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
            return Signature(
                identity: FileIdentity(url), size: attributes?[.size] as? Int ?? 0,
                modified: attributes?[.modificationDate] as? Date)
        }
    }

    static func read(_ directory: URL) throws -> StoreState {
        let entries = try read(Generation.entriesFile, directory) { data, date in
            try data.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                var entries: [Entry] = []
                try reader.array { entries.append(try EntryText.read(&$0, defaultDate: date)) }
                try reader.expectEnd()
                return entries
            }
        }
        let clusters = try read(Generation.clustersFile, directory) { data, date in
            let decoder = JSONDecoder()
            decoder.userInfo[.defaultDate] = date
            return try decoder.decode([Cluster].self, from: data)
        }
        // A program that only appends may have saved an entry several times. The last version is the current
        // one.
        var seen = Set<UUID>()
        let latest = entries.reversed().filter { seen.insert($0.id).inserted }.reversed()
        return try StoreState(store: storeID(directory), entries: Array(latest), clusters: clusters)
    }

    /// Derives the id of the store from its files. All providers of the folder derive the same id until one
    /// of the files changes.
    private static func storeID(_ directory: URL) -> UUID {
        let signatures = signatures(directory).map { signature in
            "\(signature.identity.map { "\($0)" } ?? "-") \(signature.size) "
                + "\(signature.modified?.timeIntervalSince1970 ?? 0)"
        }
        guard signatures.contains(where: { !$0.hasPrefix("-") }) else { return UUID() }
        return EntryID.derived(
            source: directory.standardizedFileURL.path, key: signatures.joined(separator: "\n"))
    }

    private static func read<Value>(
        _ name: String, _ directory: URL, _ parse: (Data, Date) throws -> [Value]
    ) throws -> [Value] {
        let url = directory.appendingPathComponent(name)
        guard let data = try StoreFolder.contents(of: url) else { return [] }
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        do {
            return try parse(data, attributes?[.modificationDate] as? Date ?? Date())
        } catch {
            throw StorageError(
                .damaged,
                "cannot read \(url.path): it is not a JSON array of the expected objects (\(reason(error)))",
                underlying: error)
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? JSONError)?.description ?? "a field is missing or has an unexpected type"
    }
}
