import ArgumentParser
import Foundation
import Roost
import RoostPostgres

struct PostgresFeed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres-feed",
        abstract:
            "Follow the change feed of a store in PostgreSQL, and print when each entry arrived as JSON.")

    @OptionGroup var options: PostgresOptions
    @Option(help: "The duration in seconds.") var seconds = 10.0
    @Option(help: "The pause after the last page, in milliseconds.") var pause = 20

    func run() async throws {
        let store = try await options.open()
        var timeline = PostgresTimeline()
        var cursor = ChangeCursor.start
        let start = ContinuousClock.now
        while (ContinuousClock.now - start) / .seconds(1) < seconds {
            guard
                case .changes(let changes, let next, let isLast) =
                    try await store.changes(after: cursor, limit: 1000)
            else { throw ValidationError("the change feed was interrupted") }
            timeline.append(
                changes.compactMap { change in
                    guard case .upserted(let id) = change.kind else { return nil }
                    return PostgresOptions.number(id)
                })
            cursor = next
            if isLast { try await Task.sleep(for: .milliseconds(pause)) }
        }
        try PostgresOptions.report(timeline)
        try await store.close()
    }
}
