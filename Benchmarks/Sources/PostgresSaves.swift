import ArgumentParser
import Foundation
import Roost
import RoostPostgres

struct PostgresSaves: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres-saves",
        abstract:
            "Save entries one by one in a store in PostgreSQL, and print when each was committed as JSON.")

    @OptionGroup var options: PostgresOptions
    @Option(help: "The number of the first entry.") var first = 0
    @Option(help: "The maximum number of entries.") var count = Int.max
    @Option(help: "The maximum duration in seconds.") var seconds = Double.infinity
    @Option(help: "The dimension of the vectors.") var dimension = 384

    func run() async throws {
        let store = try await options.open()
        let vectors = Material.vectors(100, dimension)
        var timeline = PostgresTimeline()
        let start = ContinuousClock.now
        while timeline.numbers.count < count, (ContinuousClock.now - start) / .seconds(1) < seconds {
            let number = first + timeline.numbers.count
            try await store.saveEntry(PostgresOptions.entry(number, vectors.row(number % vectors.rows)))
            timeline.append([number])
        }
        try PostgresOptions.report(timeline)
        try await store.close()
    }
}
