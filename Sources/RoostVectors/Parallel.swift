import Dispatch

/// Work over blocks of fixed size on all cores.
///
/// The blocks do not depend on the number of threads, so a computation whose blocks are independent, or are
/// combined in block order, gives the same bits on every machine of one kind.
package enum Parallel {
    /// Calls `body` once for each block of `size` (the last may be shorter) of `0..<count`, on as many
    /// threads as there are cores, and returns when all have returned. Blocks the calling thread.
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
}

/// A pointer that several workers write through, each to places of its own.
///
/// Unchecked because the compiler cannot see that the places are disjoint; whoever makes one answers for it.
package struct DisjointWrites<Element>: @unchecked Sendable {
    package let pointer: UnsafeMutablePointer<Element>

    package init(_ pointer: UnsafeMutablePointer<Element>) { self.pointer = pointer }

    package subscript(index: Int) -> Element {
        get { pointer[index] }
        nonmutating set { pointer[index] = newValue }
    }
}

/// A pointer that several workers only read through while its owner keeps it alive.
///
/// Unchecked because the compiler cannot see that nobody writes; whoever makes one answers for it.
package struct SharedReads<Element>: @unchecked Sendable {
    package let pointer: UnsafePointer<Element>

    package init(_ pointer: UnsafePointer<Element>) { self.pointer = pointer }

    package subscript(index: Int) -> Element { pointer[index] }
}
