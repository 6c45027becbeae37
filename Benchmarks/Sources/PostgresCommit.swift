import ArgumentParser
import Foundation
import Roost
import RoostPostgres

struct PostgresCommit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres-commit",
        abstract: "Commit vectors to a store in PostgreSQL, and print the duration as JSON.")

    @OptionGroup var options: PostgresOptions
    @Option(help: "An NPY file of Float16 or Float32 with the vectors.") var base: String
    @Option(help: "The number of vectors of the file to use; all by default.") var count = Int.max
    @Option(help: "The maximum number of entries of a commit.") var batch = 100_000
    @Flag(help: "Build the index over the vectors.") var index = false

    private struct Result: Encodable {
        var entries: Int
        var commitSeconds: Double
        var processorSeconds: Double
        var indexSeconds: Double?
    }

    func run() async throws {
        let vectors = try NumPy.matrix(base)
        let store = try await options.open()
        let total = min(count, vectors.rows)
        var (commits, processor) = (0.0, 0.0)
        for start in stride(from: 0, to: total, by: batch) {
            let entries = (start..<min(total, start + batch)).map {
                PostgresOptions.entry($0, vectors.row($0))
            }
            let before = CallTimes.processorSeconds
            commits += try await Material.seconds { _ = try await store.commit(WriteBatch(upserts: entries)) }
            processor += CallTimes.processorSeconds - before
        }
        var result = Result(entries: total, commitSeconds: commits, processorSeconds: processor)
        if index {
            result.indexSeconds = try await Material.seconds {
                try await store.snapshot().passageSearch?.buildIndex { _, _ in }
            }
        }
        try PostgresOptions.report(result)
        try await store.close()
    }
}
