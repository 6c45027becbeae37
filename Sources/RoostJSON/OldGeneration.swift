import Foundation
import RoostFiles
import RoostModel

/// A generation of format 1, in which all files are JSON. This format is only read, never written: the next
/// commit writes the current format.
struct OldGeneration: Codable {
    struct File: Codable {
        var size: Int
        var sha256: String
    }

    static let format = 1

    var number: Int
    var entries: File
    var clusters: File
    var sidecar: File

    private struct Sidecar: Decodable {
        struct Record: Decodable {
            var id: UUID
            var row: UInt32
            var revision: Revision
            var ordinal: UInt32
        }

        struct Removal: Decodable {
            var id: UUID
            var revision: Revision
            var ordinal: UInt32
            var removedMilliseconds: Int64
        }

        var store: UUID
        var epoch: UUID
        var revision: Revision
        var horizon: Revision
        var nextRow: Int
        var places: [Record]
        var removals: [Removal]
        var sources: [Source]
        var assignments: [Assignment]
        var run: ClusteringRun?
        var clustersPosition: ChangePosition?
    }

    /// Entries that are held in memory.
    private struct LoadedEntries: EntryContents {
        let entries: [Entry]
        func entry(at index: Int, withVectors: Bool) -> Entry { entries[index] }
    }

    /// Reads the state that the generation and its journal contain.
    ///
    /// - Throws: `StorageError` with `.damaged`; `FileError`.
    func open(in store: StoreFolder) throws -> StoreState {
        let folder = store.generation(number)
        let entries: [Entry] = try read("entries.json", self.entries, folder)
        let clusters: [Cluster] = try read("clusters.json", self.clusters, folder)
        let old: Sidecar = try read("sidecar.json", sidecar, folder)
        guard entries.map(\.id) == old.places.map(\.id) else { throw Generation.damaged(folder) }
        var archive = StoreState.Archive(store: old.store, epoch: old.epoch, revision: old.revision)
        archive.horizon = old.horizon
        archive.nextRow = old.nextRow
        archive.records = zip(entries, old.places).map { entry, record in
            ArchivedEntries.Record(
                id: entry.id, row: record.row,
                position: ChangePosition(revision: record.revision, ordinal: record.ordinal),
                dimension: entry.embeddings.count, digest: ContentDigest(of: entry.content),
                source: entry.source)
        }
        archive.removals = old.removals.map {
            .init(
                id: $0.id, position: ChangePosition(revision: $0.revision, ordinal: $0.ordinal),
                removedAt: Date(milliseconds: $0.removedMilliseconds))
        }
        archive.sources = old.sources
        archive.clusters = clusters
        archive.assignments = old.assignments
        archive.run = old.run
        archive.clustersPosition = old.clustersPosition
        return try StoreState(archive, contents: LoadedEntries(entries: entries))
    }

    private func read<Value: Decodable>(_ name: String, _ expected: File, _ folder: URL) throws -> Value {
        let url = folder.appendingPathComponent(name)
        let file = try FileDescriptor(url.path, O_RDONLY)
        let data = try file.read(at: 0, count: try file.size())
        guard data.count == expected.size, Checksum.hexadecimal(data) == expected.sha256,
            let value = try? JSONDecoder().decode(Value.self, from: data)
        else { throw Generation.damaged(url) }
        return value
    }
}
