package import Foundation

/// The error thrown when another process holds a lock for longer than the timeout.
package struct LockTimeout: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the lock file.
    package let path: String
    /// The process number and the name of the holder, as found in the lock file, or an empty string if the
    /// file does not contain them.
    package let holder: String
    package let seconds: TimeInterval

    package init(path: String, holder: String, seconds: TimeInterval) {
        self.path = path
        self.holder = holder
        self.seconds = seconds
    }

    package var description: String {
        let process = holder.isEmpty ? "another process" : holder
        return "\(path) has been locked by \(process) for \(Int(seconds)) s"
    }
}

extension TimeInterval {
    /// The longest time for which a call waits, in seconds: 20 days. SQLite counts milliseconds in 32 bits.
    private static let maximumWait: TimeInterval = 20 * 86_400

    /// The value as a time for which a call waits: from 0 to 20 days, so that `infinity` waits for 20 days. A
    /// value that is not a number is 0.
    package var asTimeout: TimeInterval { self > 0 ? Swift.min(self, Self.maximumWait) : 0 }
}
