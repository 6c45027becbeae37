import Foundation
import RoostModel
import RoostStorage
import RoostTestKit
import TestSupport
import Testing

/// Random operations have the same results on each provider as on the in-memory reference.
@Suite(.temporaryFolders) struct FuzzTests {
    /// The seeds that are tried for each provider. `ROOST_FUZZ_SEEDS` sets their number.
    static let seeds = 1...(ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 8)

    @Test(arguments: seeds) func `the JSON store behaves like the reference`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { try LocalFixture() }
    }

    @Test(arguments: seeds) func `the SQLite store behaves like the reference`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { try SQLiteFixture() }
    }

    @Test func `the fuzzer finds a store that ignores removals, and shrinks the failure to two steps`()
        async throws
    {
        var shortest = Int.max
        for seed in 1...5 {
            let failure = await #expect(throws: StorageFuzzer.Failure.self) {
                try await StorageFuzzer(seed: UInt64(seed)).run { CanaryFixture() }
            }
            shortest = min(shortest, failure?.operations.count ?? .max)
        }
        // The shortest failure has one operation that saves and one that removes, or a single batch that does
        // both.
        #expect(shortest <= 2)
    }
}
