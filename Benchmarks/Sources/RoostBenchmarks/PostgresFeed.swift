import ArgumentParser
import Foundation
import Roost

struct PostgresFeed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres-feed",
        abstract:
            "Follow the change feed of a store in PostgreSQL, and print when each entry arrived as JSON.")

    @OptionGroup var options: PostgresOptions
    @Option(help: "The duration in seconds.") var seconds = 10.0
    @Option(help: "The pause after the last page, in milliseconds.") var pause = 20

    private struct Result: Encodable {
        var numbers: [Int] = []
        /// The times of arrival, in seconds since 1970.
        var times: [Double] = []
    }

    func run() async throws {
        let store = try await options.open()
        var result = Result()
        var cursor = ChangeCursor.start
        let start = ContinuousClock.now
        while (ContinuousClock.now - start) / .seconds(1) < seconds {
            guard
                case .changes(let changes, let next, let isLast) =
                    try await store.changes(after: cursor, limit: 1000)
            else { throw ValidationError("the change feed was interrupted") }
            let time = Date().timeIntervalSince1970
            for change in changes {
                guard case .upserted(let id) = change.kind else { continue }
                result.numbers.append(PostgresOptions.number(id))
                result.times.append(time)
            }
            cursor = next
            if isLast { try await Task.sleep(for: .milliseconds(pause)) }
        }
        try PostgresOptions.report(result)
        try await store.close()
    }
}
