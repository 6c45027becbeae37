import RoostVectors

extension SeededGenerator {
    /// Returns the numbers `0..<count` in random order (Fisher-Yates).
    mutating func permutation(_ count: Int) -> [Int32] {
        var order = (0..<Int32(count)).map { $0 }
        for index in order.indices.dropLast() {
            order.swapAt(index, index + nextIndex(below: order.count - index))
        }
        return order
    }

    /// Returns a random sample of the numbers `0..<count`, ascending. If there are not more numbers than the
    /// sample may have, all are returned, and no random number is drawn.
    mutating func sample(_ size: Int, of count: Int) -> [Int] {
        var numbers = Array(0..<count)
        guard size < count else { return numbers }
        for index in 0..<size { numbers.swapAt(index, index + nextIndex(below: count - index)) }
        return numbers.prefix(size).sorted()
    }
}
