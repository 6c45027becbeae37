/// A failure that a test injects in place of a ``FileStep``.
package enum FileFault: Sendable {
    /// The system call fails with this `errno`.
    case error(Int32)
    /// The write fails after its first `count` bytes, with the `errno` that the closure returns.
    case shortWrite(count: Int, then: @Sendable () -> Int32)
}
