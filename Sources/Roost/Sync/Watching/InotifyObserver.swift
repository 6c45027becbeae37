#if os(Linux)
    import Foundation
    import RoostFiles
    import RoostModel
    import Synchronization

    /// An observer that uses inotify(7). It needs one watch per folder.
    final class InotifyObserver: FolderObserver {
        typealias AddWatch = @Sendable (Int32, String, UInt32) -> Int32

        private let descriptor: Int32
        private let addWatch: AddWatch
        private let problem = Mutex<String?>(nil)

        private static let mask =
            UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
            | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
            | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
        /// The size of the buffer for events in bytes: more than a thousand events.
        private static let bufferSize = 64 << 10
        /// The time between two checks for cancellation, in milliseconds.
        private static let pollingTime: Int32 = 50

        init(addWatch: @escaping AddWatch = { inotify_add_watch($0, $1, $2) }) {
            self.addWatch = addWatch
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor < 0 else { return }
            let (code, setting) = (errno, "fs.inotify.max_user_instances")
            let advice = code == EMFILE ? "; sysctl \(setting) shows the limit of the user" : ""
            let cause = String(cString: strerror(code))
            problem.withLock { $0 = "cannot watch folders with inotify: \(cause)\(advice)" }
        }

        deinit { close(descriptor) }

        var failure: String? { problem.withLock(\.self) }

        /// A folder that was removed, or that cannot be read, has no files to observe.
        func observe(_ folder: String) {
            guard addWatch(descriptor, folder, Self.mask) < 0 else { return }
            let reason: String
            switch errno {
            case ENOSPC:
                reason =
                    "raise the limit of the user with `sysctl fs.inotify.max_user_watches=NUMBER`, and start "
                    + "watching again"
            case ENOMEM: reason = "the system does not have enough memory"
            default: return
            }
            problem.withLock { $0 = "cannot watch all folders: \(reason)" }
        }

        func waitForChange(timeout: Duration) async throws -> Bool {
            try await BlockingWork.run { [self] isCancelled in
                let deadline = ContinuousClock.now + timeout
                var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
                while true {
                    if isCancelled() { throw CancellationError() }
                    let hasChanges = try read(&buffer)
                    if hasChanges || ContinuousClock.now >= deadline { return hasChanges }
                    var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    _ = poll(&input, 1, Self.pollingTime)
                }
            }
        }

        /// Reads all events that are available now, and returns whether there were any.
        private func read(_ buffer: inout [UInt8]) throws -> Bool {
            var hasChanges = false
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN { return hasChanges }
                guard count > 0 else {
                    throw RoostError(
                        .configuration,
                        "cannot read the changes of folders: \(String(cString: strerror(errno)))")
                }
                hasChanges = true
            }
        }
    }
#endif
