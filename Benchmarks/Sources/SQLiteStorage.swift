import ArgumentParser
import Foundation
import Roost
import RoostStorage

/// Compares one commit of many entries with the least work that SQLite needs to store them: executing
/// prepared statements in a loop, with precomputed values and the same tables and indexes, in one
/// transaction.
struct SQLiteStorage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sqlite-storage",
        abstract: "Measure one large commit, compared with a plain loop over the same tables.")

    @Option(help: "The number of entries.") var count = 100_000
    @Option(help: "The dimension of the vectors.") var dimension = 384
    @Option(help: "The number of rounds; the two measurements alternate.") var rounds = 3

    func run() async throws {
        let vectors = Material.vectors(count, dimension)
        let entries = (0..<count).map { number in
            Entry(
                content: "entry number \(number) about swifts and what they do in the air",
                embeddings: vectors.row(number), source: "file:///notes/\(number / 50).md",
                key: "id:\(number)",
                metadata: ["year": .integer(Int64(2000 + number % 25))], tags: ["t\(number % 20)"])
        }
        var (commits, loops): ([Double], [Double]) = ([], [])
        for round in 1...rounds {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("roost-bench-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let url = folder.appendingPathComponent("roost.sqlite")
            let store = try await SQLiteStorageProvider(databaseURL: url)
            try await SQLiteStorageProvider(databaseURL: folder.appendingPathComponent("loop.sqlite")).close()
            var start = ContinuousClock.now
            _ = try await store.commit(WriteBatch(upserts: entries))
            commits.append(seconds(since: start))
            try await store.close()
            let rows = try TableRows(reading: url.path)
            start = ContinuousClock.now
            try rows.write(to: folder.appendingPathComponent("loop.sqlite").path)
            loops.append(seconds(since: start))
            let (commit, loop) = (commits[round - 1], loops[round - 1])
            print(
                String(
                    format: "round %d: commit %.2f s, plain loop %.2f s, ratio %.2f", round, commit, loop,
                    commit / loop))
        }
        let median = commits.sorted()[rounds / 2]
        print(
            String(
                format: "%d × %d: %.0f entries/s, ratio of the medians %.2f", count, dimension,
                Double(count) / median, median / loops.sorted()[rounds / 2]))
    }

    private func seconds(since start: ContinuousClock.Instant) -> Double {
        let duration = ContinuousClock.now - start
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
