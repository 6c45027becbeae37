import Foundation

/// The adjusted mutual information of two partitions of the same elements (Vinh, Epps & Bailey 2010).
///
/// It is 1 for equal partitions, and 0 on average for independent random partitions with the given group
/// sizes. The normalization is the arithmetic mean of the entropies, as in scikit-learn.
struct MutualInformation {
    /// `logFactorials[i]` is log(i!).
    private let logFactorials: [Double]

    /// Prepares the comparison of partitions.
    ///
    /// - Parameter maximumCount: The maximum number of elements of a partition.
    init(maximumCount: Int) {
        var sums = [0.0]
        sums.reserveCapacity(maximumCount + 1)
        for number in 0..<max(0, maximumCount) { sums.append(sums[number] + log(Double(number + 1))) }
        logFactorials = sums
    }

    /// Returns the adjusted mutual information of two partitions.
    ///
    /// - Parameters:
    ///   - first: The group of each element, numbered from 0.
    ///   - second: The group of each element in the other partition. Both arrays have the same number of
    ///     elements, at most `maximumCount`.
    /// - Complexity: O(n + s · t · m) where s and t are the numbers of different group sizes in the two
    ///   partitions, and m is the size of the largest group.
    func adjusted(_ first: [Int32], _ second: [Int32]) -> Double {
        let n = first.count
        let (sizes, others) = (Self.sizes(first), Self.sizes(second))
        guard n > 1, sizes.count > 1 || others.count > 1 else { return 1 }
        guard sizes.count > 1, others.count > 1 else { return 0 }
        var pairs: [Int64: Int] = [:]
        for (group, other) in zip(first, second) { pairs[Int64(group) << 32 | Int64(other), default: 0] += 1 }
        let total = Double(n)
        // The pairs are sorted because the order of a dictionary varies between runs, and the rounding error
        // of the sum depends on the order.
        let information = pairs.sorted { $0.key < $1.key }.reduce(0.0) { sum, pair in
            let (a, b) = (sizes[Int(pair.key >> 32)], others[Int(pair.key & 0xFFFF_FFFF)])
            let count = Double(pair.value)
            return sum + count / total * log(total * count / (Double(a) * Double(b)))
        }
        let expected = expectation(sizes, others, n)
        let mean = (Self.entropy(sizes, total) + Self.entropy(others, total)) / 2
        let range = mean - expected
        return abs(range) < 1e-12 ? 0 : (information - expected) / range
    }

    private static func sizes(_ groups: [Int32]) -> [Int] {
        var sizes = [Int](repeating: 0, count: Int((groups.max() ?? -1) + 1))
        for group in groups { sizes[Int(group)] += 1 }
        return sizes
    }

    private static func entropy(_ sizes: [Int], _ total: Double) -> Double {
        sizes.reduce(0.0) { sum, size in
            size > 0 ? sum - Double(size) / total * log(Double(size) / total) : sum
        }
    }

    /// Returns the expected mutual information of random partitions with the given group sizes
    /// (hypergeometric model; equation 24a of the paper). Pairs of equal sizes are computed once.
    private func expectation(_ sizes: [Int], _ others: [Int], _ n: Int) -> Double {
        let (distinct, distinctOthers) = (Self.histogram(sizes), Self.histogram(others))
        let total = Double(n)
        var sum = 0.0
        for (a, count) in distinct {
            for (b, otherCount) in distinctOthers {
                let fixed =
                    logFactorials[a] + logFactorials[b] + logFactorials[n - a] + logFactorials[n - b]
                    - logFactorials[n]
                var term = 0.0
                for shared in max(1, a + b - n)...max(1, min(a, b)) {
                    let probability = exp(
                        fixed - logFactorials[shared] - logFactorials[a - shared]
                            - logFactorials[b - shared] - logFactorials[n - a - b + shared])
                    let value = Double(shared)
                    term += value / total * log(total * value / (Double(a) * Double(b))) * probability
                }
                sum += term * Double(count * otherCount)
            }
        }
        return sum
    }

    /// Returns each size above 0 with the number of groups of that size, in ascending order.
    private static func histogram(_ sizes: [Int]) -> [(size: Int, count: Int)] {
        var counts: [Int: Int] = [:]
        for size in sizes where size > 0 { counts[size, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { (size: $0.key, count: $0.value) }
    }
}
