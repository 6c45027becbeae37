import Foundation

// The compiler attributes the C type `stat` to the module that includes its header first, which depends on
// the files that it compiles together. So this is the only file of the module that uses the type.
#if canImport(CoreFoundation)
    import CoreFoundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

struct FileStatus {
    private let mode: mode_t

    /// Reads the status of a file; `nil` if it does not exist or is not accessible. `errno` has the reason.
    init?(_ path: String, followingLinks: Bool = true) {
        var status = stat()
        guard followingLinks ? stat(path, &status) == 0 : lstat(path, &status) == 0 else { return nil }
        mode = status.st_mode
    }

    var isRegular: Bool { mode & S_IFMT == S_IFREG }

    /// Whether the file is a device that a program reads as a stream, such as `/dev/zero`, which has no end.
    var isDevice: Bool { mode & S_IFMT == S_IFCHR }

    var isPipe: Bool { mode & S_IFMT == S_IFIFO }

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }

    var permissions: mode_t { mode & 0o777 }
}
