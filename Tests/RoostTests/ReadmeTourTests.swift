import Foundation
import TestSupport
import Testing

/// Compares the results that the README shows with those of its commands.
@Suite(
    .temporaryFolders,
    .enabled(if: InstalledModel.minilm != nil, "the model all-MiniLM-L6-v2 is not installed"))
struct ReadmeTourTests {
    private let cli = CommandLineDriver()

    /// The maximum difference of a score, which depends on the instructions of the processor.
    private static let tolerance = 0.02

    private func roost(_ arguments: [String]) throws -> [String] {
        let outcome = try cli.start(arguments, environment: ["ROOST_MODELS": InstalledModel.models]).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        return (outcome.output + outcome.error).split(separator: "\n").map(String.init)
    }

    private func shown(below command: String) throws -> [String] {
        let url = Fixtures.repository.appendingPathComponent("README.md")
        let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "    $ " + command), "\(command)")
        return lines[(start + 1)...].prefix { !$0.isEmpty && !$0.hasPrefix("    $") }.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func `the README shows the results of its first commands`() throws {
        let notes = cli.home.appendingPathComponent("Fixtures/notes")
        try FileManager.default.createDirectory(
            at: notes.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Fixtures.folder.appendingPathComponent("notes"), to: notes)
        _ = try roost(["ingest", "Fixtures/notes"])

        let query = ["query", "birds", "that", "return", "in", "spring", "-n", "2"]
        let hits = try hits(try roost(query))
        let expectedHits = try self.hits(try shown(below: "roost " + query.joined(separator: " ")))
        #expect(expectedHits.count == 2 && hits.map(\.text) == expectedHits.map(\.text))
        for (hit, expected) in zip(hits, expectedHits) {
            #expect(abs(hit.score - expected.score) < Self.tolerance)
        }

        let output = try roost(["recluster"])
        let expected = try shown(below: "roost recluster")
        let clusters = try clusters(expected)
        #expect(clusters.count >= 5)
        #expect(try Array(self.clusters(output).prefix(clusters.count)) == clusters)
        let summary = try #require(expected.last { $0.contains(" entries (") })
        #expect(output.contains(summary))
    }

    private func hits(_ lines: [String]) throws -> [(score: Double, text: String)] {
        lines.compactMap { line in
            guard let match = line.wholeMatch(of: /(0\.\d+)  (.+)  [0-9a-f]{8}/),
                let score = Double(match.1)
            else { return nil }
            return (score, String(match.2))
        }
    }

    private func clusters(_ lines: [String]) throws -> [String] {
        lines.compactMap { line in
            line.wholeMatch(of: /\s*(\d+)  #+ +(.+?) +[0-9a-f]{8}/).map { "\($0.1) \($0.2)" }
        }
    }
}
