import Crypto
import Foundation
import RoostFiles
import RoostModel

/// What `CURRENT` says: the generation that stands, with the length and checksum of each of its files.
struct Generation: Codable, Sendable, Hashable {
    struct File: Codable, Sendable, Hashable {
        var size: Int
        var sha256: String
    }

    static let currentFormat = 1
    static let entriesFile = "entries.json"
    static let clustersFile = "clusters.json"
    static let sidecarFile = "sidecar.json"

    var format = currentFormat
    var number: Int
    var entries: File
    var clusters: File
    var sidecar: File

    /// Where the files of a generation lie, below the store's folder.
    static func folder(_ number: Int) -> String { "generations/\(number)" }

    /// The journal of what was committed after the generation.
    static func journal(_ number: Int) -> String { "journal-\(number).jsonl" }

    /// The bytes of all three files.
    var size: Int { entries.size + clusters.size + sidecar.size }

    /// Writes the files of a state, without making them the current ones.
    static func write(_ state: StoreState, number: Int, in directory: URL) throws -> Generation {
        let folder = directory.appendingPathComponent(self.folder(number))
        try AtomicFile.createFolder(folder)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func write(_ data: Data, _ name: String) throws -> File {
            try AtomicFile.write(data, to: folder.appendingPathComponent(name))
            return File(size: data.count, sha256: Checksum.hexadecimal(data))
        }
        let entries = state.entries(after: nil).map(\.entry)
        return Generation(
            number: number, entries: try write(encoder.encode(entries), entriesFile),
            clusters: try write(encoder.encode(state.clustersWithMembers()), clustersFile),
            sidecar: try write(encoder.encode(state.archive), sidecarFile))
    }

    /// Reads the files, checks them, and puts the state together.
    func read(in directory: URL) throws -> StoreState {
        let folder = directory.appendingPathComponent(Self.folder(number))
        let entries: [Entry] = try read(Self.entriesFile, self.entries, folder)
        let clusters: [Cluster] = try read(Self.clustersFile, self.clusters, folder)
        let archive: StoreState.Archive = try read(Self.sidecarFile, sidecar, folder)
        return try StoreState(archive: archive, entries: entries, clusters: clusters)
    }

    private func read<Value: Decodable>(_ name: String, _ expected: File, _ folder: URL) throws -> Value {
        let url = folder.appendingPathComponent(name)
        let data = try Data(contentsOf: url)
        guard data.count == expected.size, Checksum.hexadecimal(data) == expected.sha256 else {
            throw StorageError(
                .damaged,
                "\(url.path) is not as it was written; the generation before it is in "
                    + "\(folder.deletingLastPathComponent().path)"
            )
        }
        return try JSONDecoder().decode(Value.self, from: data)
    }
}

enum Checksum {
    static func hexadecimal(_ data: Data) -> String {
        SHA256.hash(data: data).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
