/// A seeded random number generator: the same seed gives the same numbers on every platform and in every
/// release.
///
/// The algorithm is xoshiro256** (Blackman & Vigna 2018), seeded by SplitMix64. It is not cryptographically
/// secure.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a generator.
    ///
    /// - Parameter seed: Any number; it determines the whole sequence.
    public init(seed: UInt64) {
        var mix = seed
        func next() -> UInt64 {
            mix &+= 0x9E37_79B9_7F4A_7C15
            var z = mix
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        state = (next(), next(), next(), next())
    }

    /// Returns the next 64 random bits.
    public mutating func next() -> UInt64 {
        func rotate(_ x: UInt64, _ k: UInt64) -> UInt64 { (x << k) | (x >> (64 - k)) }
        let result = rotate(state.1 &* 5, 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotate(state.3, 45)
        return result
    }

    /// Returns a number in [0, 1), uniform over 2⁵³ values.
    ///
    /// The algorithm of the standard library's `random(in:using:)` may change between releases; this one does
    /// not.
    public mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns an integer in `0..<bound` without bias (Lemire 2019, by rejection).
    ///
    /// - Precondition: `bound > 0`.
    public mutating func nextIndex(below bound: Int) -> Int {
        precondition(bound > 0, "the bound must be positive, not \(bound)")
        let bound = UInt64(bound)
        var product = next().multipliedFullWidth(by: bound)
        // The remainder is slow to compute, and seldom needed.
        while product.low < bound, product.low < (0 &- bound) % bound {
            product = next().multipliedFullWidth(by: bound)
        }
        return Int(product.high)
    }

    /// Returns a number from the standard normal distribution (Marsaglia's polar method).
    public mutating func nextNormal() -> Double {
        while true {
            let x = 2 * nextUnit() - 1
            let y = 2 * nextUnit() - 1
            let square = x * x + y * y
            if square > 0, square < 1 { return x * (-2 * naturalLogarithm(square) / square).squareRoot() }
        }
    }
}

extension SeededGenerator {
    /// Returns the numbers `0..<count` in random order (Fisher-Yates).
    package mutating func permutation(_ count: Int) -> [Int32] {
        var order = (0..<Int32(count)).map { $0 }
        for index in order.indices.dropLast() {
            order.swapAt(index, index + nextIndex(below: order.count - index))
        }
        return order
    }

    /// Returns a random sample of the numbers `0..<count`, ascending. If there are not more numbers than the
    /// sample may have, all are returned, and no random number is drawn.
    package mutating func sample(_ size: Int, of count: Int) -> [Int] {
        var numbers = Array(0..<count)
        guard size < count else { return numbers }
        for index in 0..<size { numbers.swapAt(index, index + nextIndex(below: count - index)) }
        return numbers.prefix(size).sorted()
    }
}
