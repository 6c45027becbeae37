extension RandomAccessCollection {
    /// Returns the index of the first element that satisfies a condition, found by binary search; `endIndex`
    /// if no element satisfies it.
    ///
    /// - Parameter isInSecondPart: The condition. If an element satisfies it, all elements after it must.
    /// - Complexity: O(log n) calls of `isInSecondPart`, where n is the number of elements.
    @inlinable
    package func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Index {
        var (start, count) = (startIndex, count)
        while count > 0 {
            let half = count / 2
            let middle = index(start, offsetBy: half)
            if try isInSecondPart(self[middle]) {
                count = half
            } else {
                start = index(after: middle)
                count -= half + 1
            }
        }
        return start
    }
}
