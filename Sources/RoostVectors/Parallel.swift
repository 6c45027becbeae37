import Dispatch

/// Runs computations in parallel on all cores, in blocks of fixed size.
///
/// The blocks do not depend on the number of threads. A computation whose blocks are independent, or are
/// combined in block order, therefore gives the same bits on machines of the same kind.
package enum Parallel {
    /// Calls `body` once for each block of `0..<count`, on all cores, and returns when all calls have
    /// returned.
    ///
    /// Blocks the calling thread. Every block has `size` elements, except that the last may be shorter.
    package static func forEachBlock(of count: Int, size: Int, _ body: @Sendable (Range<Int>) -> Void) {
        let blocks = (count + size - 1) / size
        guard blocks > 1 else {
            if count > 0 { body(0..<count) }
            return
        }
        DispatchQueue.concurrentPerform(iterations: blocks) { block in
            body(block * size..<min(count, (block + 1) * size))
        }
    }

    /// Returns the results of `body` for each block of `0..<count`, in the order of the blocks.
    package static func mapBlocks<Value: Sendable>(
        of count: Int, size: Int, _ body: @Sendable (Range<Int>) -> Value
    ) -> [Value] {
        let blocks = (count + size - 1) / size
        return [Value](unsafeUninitializedCapacity: blocks) { values, initializedCount in
            initializedCount = blocks
            guard let base = values.baseAddress else { return }
            let output = DisjointWrites(base)
            forEachBlock(of: count, size: size) { block in
                (output.pointer + block.lowerBound / size).initialize(to: body(block))
            }
        }
    }

    /// Returns the results of `body` for each element, in the order of the elements.
    package static func map<Element: Sendable, Value: Sendable>(
        _ elements: [Element], _ body: @Sendable (Element) -> Value
    ) -> [Value] {
        mapBlocks(of: elements.count, size: 1) { body(elements[$0.lowerBound]) }
    }
}

/// A pointer through which several workers only read.
///
/// Unchecked because the compiler cannot verify that no thread writes and that the memory stays alive; the
/// code that creates a value must guarantee both.
package struct SharedReads<Element>: @unchecked Sendable {
    package let pointer: UnsafePointer<Element>

    package init(_ pointer: UnsafePointer<Element>) { self.pointer = pointer }

    package subscript(index: Int) -> Element { pointer[index] }
}

/// A pointer through which several workers write, each to different elements.
///
/// Unchecked because the compiler cannot verify that the elements are disjoint; the code that creates a value
/// must guarantee it.
package struct DisjointWrites<Element>: @unchecked Sendable {
    package let pointer: UnsafeMutablePointer<Element>

    package init(_ pointer: UnsafeMutablePointer<Element>) { self.pointer = pointer }

    package subscript(index: Int) -> Element {
        get { pointer[index] }
        nonmutating set { pointer[index] = newValue }
    }
}
