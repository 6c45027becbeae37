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
}
