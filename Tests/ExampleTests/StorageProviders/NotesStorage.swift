import Foundation
import Roost

/// A small backend: one text file a line of JSON an entry, rewritten at every save.
actor NotesStorage: SimpleStorageProvider {
    private let file: URL
    private let clustersFile: URL
    private var entries: [Entry] = []
    private var clusters: [Cluster] = []

    init(folder: URL) throws {
        file = folder.appendingPathComponent("notes.jsonl")
        clustersFile = folder.appendingPathComponent("groups.json")
        let decoder = JSONDecoder()
        if let text = try? String(contentsOf: file, encoding: .utf8) {
            entries = try text.split(separator: "\n").map {
                try decoder.decode(Entry.self, from: Data($0.utf8))
            }
        }
        if let data = try? Data(contentsOf: clustersFile) {
            clusters = try decoder.decode([Cluster].self, from: data)
        }
    }

    func saveEntry(_ entry: Entry) async throws {
        if let index = entries.firstIndex(where: { $0.id == entry.id }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
        try write()
    }

    func fetchEntries() async throws -> [Entry] { entries }

    func updateCluster(_ cluster: Cluster) async throws {
        if let index = clusters.firstIndex(where: { $0.id == cluster.id }) {
            clusters[index] = cluster
        } else {
            clusters.append(cluster)
        }
        try JSONEncoder().encode(clusters).write(to: clustersFile, options: .atomic)
    }

    func fetchClusters() async throws -> [Cluster] { clusters }

    func deleteEntry(_ id: Entry.ID) async throws {
        entries.removeAll { $0.id == id }
        try write()
    }

    private func write() throws {
        let lines = try entries.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        try Data(lines.joined(separator: "\n").utf8).write(to: file, options: .atomic)
    }
}
