import Foundation
import RoostModel
import RoostPostgres
import RoostTestKit
import Testing

@Suite(TestServer.isRequired) struct PostgresLawTests {
    @Test(arguments: StorageLaw.allCases, TestServer.available)
    func `the PostgreSQL store obeys the law`(law: StorageLaw, server: TestServer) async throws {
        try await law.check(PostgresFixture(server: server))
    }

    @Test(TestServer.version18.isRequired)
    func `the laws are also checked with PostgreSQL 18`() async throws {
        let store = try await PostgresFixture(server: .version18).provider()
        #expect(try await store.inspectServer().contains { $0.message.contains("PostgreSQL 18") })
        try await store.close()
    }

    /// The seeds that are tried. `ROOST_FUZZ_SEEDS` sets their number.
    static let seeds = 1...(ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 4)

    @Test(arguments: seeds) func `the PostgreSQL store behaves like the reference`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 80).run { PostgresFixture() }
    }
}
