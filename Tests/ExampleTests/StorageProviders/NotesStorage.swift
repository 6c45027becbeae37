import Foundation
import Roost

/// A small backend: a text file with one line of JSON for each entry, which every save rewrites.
actor NotesStorage: SimpleStorageProvider {
    private let file: URL
    private let clustersFile: URL
    private var entries: [Entry] = []
    private var clusters: [Cluster] = []

    init(folder: URL) throws {
        file = folder.appendingPathComponent("notes.jsonl")
        clustersFile = folder.appendingPathComponent("groups.json")
        let decoder = JSONDecoder()
        // A missing file is an empty store. A file that cannot be read is an error.
        if FileManager.default.fileExists(atPath: file.path) {
            entries = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
                try decoder.decode(Entry.self, from: Data($0.utf8))
            }
        }
        if FileManager.default.fileExists(atPath: clustersFile.path) {
            clusters = try decoder.decode([Cluster].self, from: Data(contentsOf: clustersFile))
        }
    }

    func saveEntry(_ entry: Entry) async throws {
        var changed = entries
        if let index = changed.firstIndex(where: { $0.id == entry.id }) {
            changed[index] = entry
        } else {
            changed.append(entry)
        }
        // The file is written first, so that a failed save does not change the entries in memory.
        try write(changed)
        entries = changed
    }

    func fetchEntries() async throws -> [Entry] { entries }

    func updateCluster(_ cluster: Cluster) async throws {
        var changed = clusters
        if let index = changed.firstIndex(where: { $0.id == cluster.id }) {
            changed[index] = cluster
        } else {
            changed.append(cluster)
        }
        try JSONEncoder().encode(changed).write(to: clustersFile, options: .atomic)
        clusters = changed
    }

    func fetchClusters() async throws -> [Cluster] { clusters }

    func deleteEntry(_ id: Entry.ID) async throws {
        let changed = entries.filter { $0.id != id }
        try write(changed)
        entries = changed
    }

    private func write(_ entries: [Entry]) throws {
        let lines = try entries.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        try Data(lines.joined(separator: "\n").utf8).write(to: file, options: .atomic)
    }
}
