#if os(Linux)
    import Foundation
    import RoostFiles
    import RoostModel
    import Synchronization

    /// An observer that uses inotify(7). It needs one watch per folder.
    final class InotifyObserver: FolderObserver {
        private struct State {
            /// The path of the folder that each watch observes.
            var folders: [Int32: String] = [:]
            var failure: String?
        }

        /// A function with the parameters and the result of `inotify_add_watch`.
        typealias AddWatch = @Sendable (Int32, String, UInt32) -> Int32

        private let descriptor: Int32
        private let addWatch: AddWatch
        private let state = Mutex(State())

        private static let mask =
            UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
            | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
            | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
        /// The size of the buffer for events in bytes: more than a thousand events.
        private static let bufferSize = 64 << 10
        /// The time between two checks for cancellation, in milliseconds.
        private static let pollingTime: Int32 = 50
        private static let headerSize = MemoryLayout<inotify_event>.size

        /// Creates an observer.
        ///
        /// - Parameter addWatch: The system call that adds a watch. Tests replace it with one that fails.
        /// - Throws: ``RoostError`` with `.configuration` if the user has too many observers.
        init(addWatch: @escaping AddWatch = { inotify_add_watch($0, $1, $2) }) throws(RoostError) {
            self.addWatch = addWatch
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else {
                let (code, setting) = (errno, "fs.inotify.max_user_instances")
                let advice = code == EMFILE ? "; sysctl \(setting) shows the limit of the user" : ""
                throw RoostError(
                    .configuration,
                    "cannot watch folders with inotify: \(String(cString: strerror(code)))\(advice)")
            }
        }

        deinit { close(descriptor) }

        var failure: String? { state.withLock(\.failure) }

        func observe(_ folder: String) {
            state.withLock { state in
                let watch = addWatch(descriptor, folder, Self.mask)
                guard watch >= 0 else {
                    let failure = Self.failure(errno, after: state.folders.count)
                    if let failure { state.failure = failure }
                    return
                }
                state.folders[watch] = folder
            }
        }

        /// Returns the reason why no more folders can be observed; `nil` if the error concerns one folder. A
        /// folder that was removed, or that cannot be read, has no files to observe.
        private static func failure(_ code: Int32, after count: Int) -> String? {
            switch code {
            case ENOSPC:
                "cannot watch all folders, only \(count): raise the limit of the user with "
                    + "`sysctl fs.inotify.max_user_watches=NUMBER`, and start watching again"
            case ENOMEM: "cannot watch all folders, only \(count): the system does not have enough memory"
            default: nil
            }
        }

        func changes(timeout: Duration) async throws -> FolderChanges {
            try await BlockingWork.run { [self] isCancelled in
                let deadline = ContinuousClock.now + timeout
                var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
                while true {
                    if isCancelled() { throw CancellationError() }
                    let changes = try read(&buffer)
                    if !changes.isEmpty || ContinuousClock.now >= deadline { return changes }
                    var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    _ = poll(&input, 1, Self.pollingTime)
                }
            }
        }

        /// Reads all events that are available now.
        private func read(_ buffer: inout [UInt8]) throws -> FolderChanges {
            var changes = FolderChanges()
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN { return changes }
                guard count > 0 else {
                    throw RoostError(
                        .configuration,
                        "cannot read the changes of folders: \(String(cString: strerror(errno)))")
                }
                buffer.withUnsafeBytes { bytes in
                    parse(UnsafeRawBufferPointer(rebasing: bytes[..<count]), &changes)
                }
            }
        }

        private func parse(_ bytes: UnsafeRawBufferPointer, _ changes: inout FolderChanges) {
            var offset = 0
            while bytes.count - offset >= Self.headerSize {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let start = offset + Self.headerSize
                let end = min(start + Int(event.len), bytes.count)
                let name = bytes[start..<end].prefix { $0 != 0 }
                handle(event, String(validating: name, as: UTF8.self), &changes)
                offset = end
            }
        }

        private func handle(_ event: inotify_event, _ name: String?, _ changes: inout FolderChanges) {
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                changes.formUnion(FolderChanges(isIncomplete: true))
                return
            }
            guard let folder = state.withLock({ $0.folders[event.wd] }) else { return }
            if event.mask & UInt32(IN_IGNORED) != 0 {
                return state.withLock { $0.folders[event.wd] = nil }
            }
            if event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0 {
                if event.mask & UInt32(IN_MOVE_SELF) != 0 { forget(folder) }
                changes.insert(folder)
                return
            }
            // A file whose name is not valid text is never read.
            guard let name, !name.isEmpty else { return }
            if name == ".gitignore" { return changes.insert(folder) }
            guard !name.hasPrefix(".") else { return }
            let path = folder == "/" ? "/" + name : folder + "/" + name
            let movedFolder = UInt32(IN_MOVED_FROM) | UInt32(IN_ISDIR)
            if event.mask & movedFolder == movedFolder { forget(path) }
            changes.insert(path)
        }

        /// Stops observing a folder that was moved, and its subfolders. They are observed again if they are
        /// found at another path.
        private func forget(_ folder: String) {
            state.withLock { state in
                let prefix = folder == "/" ? folder : folder + "/"
                for (watch, path) in state.folders {
                    guard (path + "/").utf8.starts(with: prefix.utf8) else { continue }
                    inotify_rm_watch(descriptor, watch)
                    state.folders[watch] = nil
                }
            }
        }
    }
#endif
