import Foundation
import RoostModel
import RoostTestKit
import Testing

@Suite(TestServer.isRequired) struct PostgresLawTests {
    @Test(arguments: StorageLaw.allCases)
    func `the PostgreSQL store obeys the law`(law: StorageLaw) async throws {
        try await law.check(PostgresFixture())
    }

    /// The seeds that are tried. `ROOST_FUZZ_SEEDS` sets their number.
    static let seeds = 1...(ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 4)

    @Test(arguments: seeds) func `the PostgreSQL store behaves like the reference`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 80).run { PostgresFixture() }
    }
}
