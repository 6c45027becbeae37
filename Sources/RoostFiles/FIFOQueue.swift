/// A queue whose elements are removed in the order in which they were added. Both operations take constant
/// time on average.
///
/// A removed element is released at once. The places of removed elements are used again even if the queue is
/// never empty.
struct FIFOQueue<Element> {
    /// The elements in the order of arrival. Those before ``first`` were removed and are `nil`.
    private var elements: [Element?] = []
    /// The index of the oldest element that waits.
    private var first = 0
    /// The minimum number of places that are removed at once. If it were 1, short queues would be moved for
    /// each element.
    private static var compactionInterval: Int { 1000 }

    /// The number of elements that wait.
    var count: Int { elements.count - first }

    /// The number of places that the queue has in memory, including those of removed elements.
    var placeCount: Int { elements.count }

    /// Adds an element at the end.
    mutating func append(_ element: Element) { elements.append(element) }

    /// Removes the oldest element and returns it; `nil` if the queue is empty.
    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        if first == elements.count {
            // An empty queue keeps only little memory.
            elements.removeAll(keepingCapacity: elements.capacity <= 2 * Self.compactionInterval)
            first = 0
        } else if first >= Self.compactionInterval, first >= elements.count / 2 {
            // At most as many elements are moved as were removed since the last time.
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
