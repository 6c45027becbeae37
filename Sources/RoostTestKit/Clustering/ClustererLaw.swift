public import RoostVectors

/// A guarantee that every clusterer must give. Each law is a separate test case:
///
///     @Test(arguments: ClustererLaw.allCases)
///     func `my clusterer obeys`(law: ClustererLaw) async throws { try await law.check(MyClusterer()) }
///
/// The vectors have 8 components. The clusterer must not require more than three groups.
public enum ClustererLaw: String, Sendable, CaseIterable {
    /// A partition has a label, a similarity and a confidence for each vector, and the parent of each group
    /// or `nil`. All groups exist, no group is its own ancestor, no vector is in a parent, and all numbers
    /// are finite.
    case partitionsDescribeVectors
    /// The centroid of a group with members has unit length. The similarity of a member is its cosine with
    /// the centroid, and all confidences are from 0 to 1.
    case similaritiesAreCosines
    /// The same vectors have the same labels in each call, also in concurrent ones.
    case labelsAreReproducible
    /// No vectors, a single vector, equal vectors, opposite vectors and vectors of zeros are partitioned, or
    /// refused with a `ClusteringError`.
    case unusualVectorsArePartitionedOrRefused

    /// The permitted deviation of a similarity from the cosine, and of a centroid's length from 1. Both have
    /// the rounding errors of all components.
    private static let tolerance: Float = 1e-3

    private static let dimension = 8

    private static var threeDirections: Matrix {
        var generator = SeededGenerator(seed: 1)
        let rows = (0..<60).map { row in
            (0..<dimension).map { column in
                (column == row % 3 ? 1 : 0) + 0.1 * Float(generator.nextNormal())
            }
        }
        var vectors = Matrix(rows, columns: dimension)
        vectors.normalizeRows()
        return vectors
    }

    private static var unusual: [(name: String, vectors: Matrix)] {
        let axis: [Float] = [1] + Array(repeating: 0, count: dimension - 1)
        let zero = [Float](repeating: 0, count: dimension)
        func matrix(_ rows: [[Float]]) -> Matrix { Matrix(rows, columns: dimension) }
        return [
            ("no vectors", matrix([])), ("a single vector", matrix([axis])),
            ("equal vectors", matrix(Array(repeating: axis, count: 30))),
            ("two opposite vectors", matrix([axis, axis.map { -$0 }])),
            ("vectors of zeros", matrix([zero, zero, zero])),
            ("a vector of zeros among others", matrix((0..<10).map { threeDirections.row($0) } + [zero])),
        ]
    }

    /// Checks the law with a clusterer.
    ///
    /// - Throws: ``LawViolation``, or an error thrown by the clusterer.
    public func check(_ clusterer: any Clusterer) async throws {
        let vectors = Self.threeDirections
        switch self {
        case .partitionsDescribeVectors: _ = try await partition(clusterer, vectors)
        case .similaritiesAreCosines: try requireCosines(try await partition(clusterer, vectors), vectors)
        case .labelsAreReproducible:
            let expected = try await partition(clusterer, vectors).labels
            let found = try await concurrently(8) { _ in try await partition(clusterer, vectors).labels }
            for labels in found {
                let row = zip(labels, expected).enumerated().first { $1.0 != $1.1 }?.offset
                try require(row == nil, "two calls give vector \(row ?? 0) different labels")
            }
        case .unusualVectorsArePartitionedOrRefused:
            for (name, vectors) in Self.unusual { try await requireAnswer(clusterer, vectors, name) }
        }
    }

    private func requireAnswer(_ clusterer: any Clusterer, _ vectors: Matrix, _ name: String) async throws {
        do {
            _ = try await partition(clusterer, vectors)
        } catch is ClusteringError {
            return
        } catch let error where !(error is CancellationError) {
            throw LawViolation("\(name): \(error)")
        }
    }

    private func requireCosines(_ partition: Partition, _ vectors: Matrix) throws {
        for (row, label) in partition.labels.enumerated() {
            let confidence = partition.confidences[row]
            try require((0...1).contains(confidence), "the confidence of vector \(row) is \(confidence)")
            guard let group = label.group else { continue }
            let centroid = partition.centroids.row(group)
            let length = centroid.reduce(0) { $0 + $1 * $1 }.squareRoot()
            try require(
                abs(length - 1) <= Self.tolerance, "the centroid of group \(group) has the length \(length)")
            let cosine = zip(vectors.row(row), centroid).reduce(Float(0)) { $0 + $1.0 * $1.1 }
            try require(
                abs(partition.similarities[row] - cosine) <= Self.tolerance,
                "the similarity of vector \(row) is \(partition.similarities[row]), and its cosine with the "
                    + "centroid of its group \(cosine)")
        }
    }

    private func partition(_ clusterer: any Clusterer, _ vectors: Matrix) async throws -> Partition {
        let partition = try await clusterer.cluster(vectors)
        do {
            try partition.check(for: vectors)
        } catch {
            throw LawViolation(error.message)
        }
        return partition
    }
}
