import Foundation
import RoostJSON
import RoostModel
import RoostSQLite
import RoostTestKit
import Testing

/// Random operations on every provider beside the in-memory reference.
struct FuzzTests {
    /// How many seeds are tried for each provider; more with `ROOST_FUZZ_SEEDS`.
    static let seeds = 1...(ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 8)

    @Test(arguments: seeds) func `the JSON store does what the reference does`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { try LocalFixture() }
    }

    @Test(arguments: seeds) func `the SQLite store does what the reference does`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { try SQLiteFixture() }
    }

    @Test(arguments: seeds) func `decorators do what the reference does`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { DecoratedFixture() }
    }

    @Test func `a store that does not remove is found out, in two steps`() async throws {
        var shortest = Int.max
        for seed in 1...5 {
            let failure = await #expect(throws: StorageFuzzer.Failure.self) {
                try await StorageFuzzer(seed: UInt64(seed)).run { CanaryFixture() }
            }
            shortest = min(shortest, failure?.operations.count ?? .max)
        }
        // One that saves, and one that removes; or a single batch that replaces.
        #expect(shortest <= 2)
    }
}

/// All decorators that change nothing, over the reference.
struct DecoratedFixture: StorageFixture {
    let level = StorageLevel.inMemory
    func open() async throws -> any StorageProvider {
        InMemoryStorageProvider().caching(limit: 5).retrying().metered(by: StorageMeter()).logging()
    }
    func tearDown() async {}
}
