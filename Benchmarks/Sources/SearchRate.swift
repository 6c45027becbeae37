import ArgumentParser
import Foundation
import Roost
import RoostModel

struct SearchRate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure searches by vector of a store: searches per second.",
        discussion: """
            Each line of the file is the body of a search request, such as Benchmarks/serve.py writes: an \
            object with the member `vector`.
            """)

    @Option(help: "The folder of the store.") var store: String
    @Option(help: "The file with the vectors.") var vectors: String
    @Option(help: "The number of searches at the same time.") var tasks = 8
    @Option(help: "The duration in seconds.") var seconds = 10.0
    @OptionGroup var options: ModelOptions

    private struct Body: Decodable {
        var vector: [Float]
    }

    func run() async throws {
        let text = try String(contentsOfFile: vectors, encoding: .utf8)
        let queries = try text.split(separator: "\n").map {
            try JSONDecoder().decode(Body.self, from: Data($0.utf8)).vector
        }
        let model = try options.open()
        let opened = try await KnowledgeStore.open(at: URL(fileURLWithPath: store)) { _ in model }
        for vector in queries.prefix(20) { _ = try await opened.search(EntrySearch(.vector(vector))) }
        let start = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var count = 0
                    while (ContinuousClock.now - start) / .seconds(1) < seconds {
                        let vector = queries[(task + count * tasks) % queries.count]
                        _ = try await opened.search(EntrySearch(.vector(vector)))
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        let duration = (ContinuousClock.now - start) / .seconds(1)
        Material.line("searches, \(tasks) at a time", Double(count) / duration, "per second")
        try await opened.close()
    }
}
