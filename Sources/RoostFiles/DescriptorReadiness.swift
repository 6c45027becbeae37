import Foundation

/// Repeats calls on descriptors that this process has not opened, such as its standard input and output.
///
/// A program that shares a descriptor, such as the one that started this process, can make it non-blocking.
package enum DescriptorReadiness {
    /// The call to repeat.
    package enum Direction {
        case reading, writing

        fileprivate var events: Int16 { self == .reading ? Int16(POLLIN) : Int16(POLLOUT) }
    }

    /// Returns whether a call can be repeated that failed with the given value of `errno`. If the descriptor
    /// does not block and was not ready, waits until it is.
    package static func canRetry(after error: Int32, _ direction: Direction, _ descriptor: Int32) -> Bool {
        if error == EINTR { return true }
        guard error == EAGAIN || error == EWOULDBLOCK else { return false }
        var entry = pollfd(fd: descriptor, events: direction.events, revents: 0)
        _ = poll(&entry, 1, -1)
        return true
    }
}
