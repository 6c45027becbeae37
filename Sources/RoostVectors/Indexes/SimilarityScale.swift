/// Divides the range of similarities from a threshold to 1 into intervals of equal width.
struct SimilarityScale: Sendable {
    let threshold: Float
    let intervals: Int

    /// Returns the interval of a similarity that is at least the threshold. The last interval has the highest
    /// similarities.
    func interval(of similarity: Float) -> Int {
        let share = (similarity - threshold) / (1 - threshold)
        // The limits apply before the conversion, which would trap for an infinite similarity.
        return Int(max(0, min(Float(intervals - 1), share * Float(intervals))))
    }

    /// Returns a lower bound of the similarities in an interval.
    func minimum(of interval: Int) -> Float {
        threshold + (1 - threshold) * Float(interval) / Float(intervals)
    }

    /// Groups the intervals into ranges, those of the highest similarities first. A range contains at most
    /// `limit` pairs, unless it consists of a single interval.
    ///
    /// - Parameter counts: The number of pairs in each interval.
    func bands(_ counts: [Int], limit: Int) -> [Range<Int>] {
        var bands: [Range<Int>] = []
        var (upper, sum) = (intervals, 0)
        for interval in (0..<intervals).reversed() {
            if sum > 0, sum + counts[interval] > limit {
                bands.append(interval + 1..<upper)
                (upper, sum) = (interval + 1, 0)
            }
            sum += counts[interval]
        }
        return sum > 0 ? bands + [0..<upper] : bands
    }
}
