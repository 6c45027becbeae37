import Testing

@testable import Roost

/// Tests of the recovery from an index that disagrees with the storage.
@Suite struct IndexHealthTests {
    @Test func `a search is repeated once before the index is rebuilt`() {
        var health = IndexHealth.trusted
        #expect(health.recordDisagreement() == .searchAgain)
        #expect(health == .suspected)
        #expect(health.recordDisagreement() == .rebuildAndSearchAgain)
        #expect(health == .rebuilt(searches: 1))
    }

    @Test func `a search fails if a rebuilt index still disagrees after three searches`() {
        var health = IndexHealth.rebuilt(searches: 1)
        #expect(health.recordDisagreement() == .searchAgain)
        #expect(health.recordDisagreement() == .searchAgain)
        #expect(health.recordDisagreement() == .giveUp)
        #expect(health.recordDisagreement() == .giveUp)
    }
}
