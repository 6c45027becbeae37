import Testing

@testable import RoostClustering

@Suite struct MutualInformationTests {
    let information = MutualInformation(maximumCount: 100)

    /// The expected values were computed with `adjusted_mutual_info_score` in scikit-learn 1.7.
    @Test func `partitions of few elements get the values of the reference implementation`() {
        let first: [Int32] = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
        let second: [Int32] = [0, 0, 1, 1, 1, 1, 2, 2, 2, 0]
        #expect(abs(information.adjusted(first, second) - 0.47728999) < 1e-7)
        #expect(abs(information.adjusted([0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2]) + 0.25) < 1e-9)
        let halves = [Int32](repeating: 0, count: 5) + [Int32](repeating: 1, count: 5)
        let uneven = [Int32](repeating: 0, count: 4) + [Int32](repeating: 1, count: 6)
        #expect(abs(information.adjusted(halves, uneven) - 0.58145896) < 1e-7)
    }

    @Test func `equal partitions agree fully, and a single group agrees with no other partition`() {
        let groups: [Int32] = (0..<60).map { Int32($0 % 7) }
        #expect(abs(information.adjusted(groups, groups) - 1) < 1e-9)
        #expect(information.adjusted(groups, [Int32](repeating: 0, count: 60)) == 0)
    }
}
