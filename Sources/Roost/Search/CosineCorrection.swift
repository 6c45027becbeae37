import RoostVectors

/// The correction of the cosines between one query and the entries of a store.
///
/// A short query has few words about its subject, and the best entries have more. A share of a corrected
/// cosine is therefore the cosine with the mean of their vectors (pseudo relevance feedback, Rocchio 1971).
struct CosineCorrection: Sendable {
    /// The share of the corrected cosine that is due to the best entries.
    private static let share: Float = 0.2
    /// The number of the best entries.
    static let count = 2

    /// The weighted mean of the best entries, of unit length; empty without a correction.
    private let mean: [Float]

    /// Creates a correction.
    ///
    /// - Parameter best: The vectors of the best entries with their weights, which are not negative. If the
    ///   array is empty, or all weights are 0, cosines are not corrected.
    init(feedback best: [(vector: [Float], weight: Float)] = []) {
        var sum = [Float](repeating: 0, count: best.first?.vector.count ?? 0)
        for (vector, weight) in best where vector.count == sum.count {
            for index in sum.indices { sum[index] += weight * vector[index] }
        }
        mean = length(of: sum) > 0 ? normalized(sum) : []
    }

    /// Whether cosines are corrected.
    var isEffective: Bool { !mean.isEmpty }

    /// Returns the cosine of a vector of unit length with the best entries; `nil` without a correction.
    func projection(of vector: [Float]) -> Float? {
        isEffective && mean.count == vector.count ? innerProduct(mean, vector) : nil
    }

    /// Returns a corrected cosine.
    ///
    /// - Parameter projection: The cosine of the entry with the best entries; `nil` if it is unknown.
    func corrected(_ cosine: Float, _ projection: Float?) -> Float {
        guard isEffective, let projection else { return cosine }
        return cosine + Self.share * (projection - cosine)
    }
}
