import Foundation
import Testing

@testable import RoostVectors

/// Tests of the correction of passages that are near to many others.
@Suite struct HubSampleTests {
    private func axes(_ count: Int, from first: Int = 0) -> [[Float]] {
        (first..<first + count).map { axis in (0..<64).map { $0 == axis ? 1 : 0 } }
    }

    @Test func `a passage that is near to many others gets a lower cosine`() {
        // Forty passages have nothing in common, except that each is a little near to the hub.
        let hub = normalized([Float](repeating: 1, count: 40) + [Float](repeating: 0, count: 24))
        let sample = HubSample(Matrix(axes(40), columns: 64), entries: (0..<40).map { _ in UUID() })
        let passages = Matrix([hub, axes(1, from: 50)[0]], columns: 64)
        let corrections = sample.corrections(of: passages, [UUID(), UUID()])
        #expect(abs(corrections[0] - 0.5 / Float(40).squareRoot()) < 1e-5)
        #expect(corrections[1] == 0)
    }

    @Test func `the passages of the same entry and copies do not count`() {
        let ids = (0..<40).map { _ in UUID() }
        let sample = HubSample(Matrix(axes(40), columns: 64), entries: ids)
        let near = normalized(zip(axes(1)[0], axes(1, from: 60)[0]).map { $0 + $1 })
        let passages = Matrix([near, axes(1)[0]], columns: 64)
        #expect(sample.corrections(of: passages, [ids[0], UUID()]) == [0, 0])
        #expect(sample.corrections(of: passages, [UUID(), UUID()])[0] > 0)
    }

    @Test func `a sample without passages, or of another dimension, corrects nothing`() {
        let none = HubSample(Matrix(rows: 0, columns: 64), entries: [])
        #expect(none.corrections(of: Matrix(axes(2), columns: 64), [UUID(), UUID()]) == [0, 0])
        let other = HubSample(Matrix([[1, 0], [0, 1]], columns: 2), entries: [UUID(), UUID()])
        #expect(other.corrections(of: Matrix(axes(2), columns: 64), [UUID(), UUID()]) == [0, 0])
    }
}
