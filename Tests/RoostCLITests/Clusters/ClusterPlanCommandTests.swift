import Foundation
import TestSupport
import Testing

/// The commands for clustering by several workers.
@Suite(.temporaryFolders) struct ClusterPlanCommandTests {
    private let cli = CommandLineDriver()

    private func makeStore(_ count: Int = 160) throws {
        let lines = (0..<count).map { "\(SampleTexts.subjects[$0 % 4]) \($0)" }.joined(separator: "\n")
        #expect(try cli.roost("init", "--model", "lexical").status == 0)
        #expect(try cli.roost(["ingest", "-"], input: lines).status == 0)
    }

    private struct Status: Decodable, Equatable {
        var entries: Int
        var sample: Int
        var clusters: Int
        var shards: Int?
        var missing: [Int]
        var complete: Bool
    }

    private func status() throws -> Status? {
        let outcome = try cli.roost("cluster", "status", "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        return try JSONDecoder().decode(Status?.self, from: Data(outcome.output.utf8))
    }

    @Test func `several workers cluster a store`() throws {
        try makeStore()
        #expect(try status() == nil)
        #expect(try cli.roost("cluster", "status").error.contains("roost cluster plan"))
        let planned = try cli.roost("cluster", "plan", "--sample", "80")
        #expect(planned.status == 0, "\(planned.error)")
        #expect(planned.output.contains("of 160 entries"), "\(planned.output)")
        #expect(planned.output.contains("roost cluster assign --shard I/N"), "\(planned.output)")
        let assigned = try cli.roost("cluster", "assign", "--shard", "1/2")
        #expect(assigned.status == 0 && assigned.output.hasPrefix("shard 1/2: "), "\(assigned.error)")
        let found = try status()
        #expect((found?.entries, found?.shards, found?.complete) == (160, 2, false))
        #expect(found?.missing == [0] && found?.clusters == 4)
        #expect(try cli.roost("cluster", "status").output.contains("missing: 0/2"))

        let early = try cli.roost("cluster", "finish")
        #expect(early.status == 75)
        #expect(early.error.contains("1 of 2 shards is missing: 0/2"), "\(early.error)")
        #expect(early.error.contains("roost cluster assign"), "\(early.error)")
        #expect(try cli.roost("cluster", "list").output.isEmpty)

        let other = try cli.roost("cluster", "assign", "--shard", "0/3")
        #expect(other.status == 65 && other.error.contains("use 2 shards"), "\(other.error)")

        #expect(try cli.roost("cluster", "assign", "--shard=0/2").status == 0)
        let finished = try cli.roost("cluster", "finish")
        #expect(finished.status == 0, "\(finished.error)")
        #expect(finished.error.contains("4 clusters"), "\(finished.error)")
        #expect(try status() == nil)
        #expect(try cli.roost("cluster", "list", "--jsonl").output.split(separator: "\n").count == 4)
        #expect(try cli.roost("undo").status == 0)
        #expect(try cli.roost("cluster", "list").output.isEmpty)
    }

    @Test func `wrong arguments and missing plans are reported with the next step`() throws {
        try makeStore(40)
        for (arguments, status, words) in [
            (["assign", "--shard", "0/1"], 66, "roost cluster plan"), (["finish"], 66, "roost cluster plan"),
            (["assign", "--shard", "2/2"], 64, "--shard"), (["assign", "--shard", "x"], 64, "--shard"),
            (["assign", "--shard", "0/-1"], 64, "from 0 to N-1"),
            (["assign", "--shard=-1/2"], 64, "from 0 to N-1"),
            (["assign"], 64, "--shard"), (["assign", "--shard", "0/10001"], 65, "10000"),
            (["plan", "--sample", "0"], 64, "--sample"), (["plan", "--sample", "-5"], 64, "--sample"),
            (["plan", "--max-outliers", "1.5"], 64, "--max-outliers"),
            (["plan", "--granularity", "tiny"], 64, "--granularity"),
        ] as [([String], Int32, String)] {
            let outcome = try cli.roost(["cluster"] + arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome.error)")
            #expect(outcome.error.contains(words), "\(arguments): \(outcome.error)")
        }
        #expect(try cli.roost("cluster", "plan", "--json").status == 0)
        let second = try cli.roost("cluster", "plan")
        #expect(second.status == 75 && second.error.contains("roost cluster discard"), "\(second.error)")
        #expect(try cli.roost("cluster", "discard").status == 0)
        #expect(try cli.roost("cluster", "discard").status == 0)
        #expect(try cli.roost("cluster", "plan").output.contains("next: `roost cluster finish`"))
        // The sample has all entries, so no shard is missing.
        #expect(try cli.roost("cluster", "assign", "--shard", "0/2").status == 0)
        #expect(try !cli.roost("cluster", "status").output.contains("missing"))
        #expect(try cli.roost("cluster", "finish", "--json").status == 0)
    }
}
