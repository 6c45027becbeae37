import Foundation
import RoostFiles
import RoostModel

/// A folder with nothing but an `entries.json` and a `clusters.json`, of another program.
enum BareFolder {
    /// Tells whether a file has been written to.
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
        // A program that appends may have saved an entry twice; the last one is what it meant.
        var seen = Set<UUID>()
        let latest = entries.reversed().filter { seen.insert($0.id).inserted }.reversed()
        return try StoreState(store: name(directory), entries: Array(latest), clusters: clusters)
    }

    /// The id of the store that the files are, the same for every handle until they are written to.
    private static func name(_ directory: URL) -> UUID {
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
        guard let data = try LocalFiles.contents(of: url) else { return [] }
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        do {
            return try parse(data, attributes?[.modificationDate] as? Date ?? Date())
        } catch {
            throw StorageError(
                .damaged, "\(url.path) is not a JSON array of the expected objects (\(reason(error)))",
                underlying: error)
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? JSONError)?.description ?? "a field is missing or of another kind"
    }
}
