import Foundation
import RoostFiles

/// The data about a file that change whenever its contents change.
///
/// The date of the last status change is included, because programs can set the date of the last change of
/// the contents to any value.
struct FileStatus: Sendable, Hashable {
    var size: Int64
    /// The time of the last change of the contents, in nanoseconds since 1970.
    var modified: Int64
    /// The time of the last change of the contents or the attributes, in nanoseconds since 1970.
    var changed: Int64
    /// The number of the file in its file system.
    var inode: UInt64

    /// The time in nanoseconds after which a further change certainly has another time: some file systems
    /// record times with a resolution of two seconds.
    static let settlingTime: Int64 = 2_000_000_000

    init(size: Int64, modified: Int64, changed: Int64, inode: UInt64) {
        (self.size, self.modified, self.changed, self.inode) = (size, modified, changed, inode)
    }

    init(_ status: stat) {
        self.init(
            size: Int64(status.st_size), modified: Self.nanoseconds(status.modificationTime),
            changed: Self.nanoseconds(status.statusChangeTime),
            inode: UInt64(truncatingIfNeeded: status.st_ino))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1e9) }

    /// Returns whether a change after the given time would change the status.
    ///
    /// - Parameters:
    ///   - time: A time in nanoseconds since 1970 at which the file had this status.
    ///   - settlingTime: The resolution of the times of files, in nanoseconds.
    func isSettled(at time: Int64, after settlingTime: Int64 = Self.settlingTime) -> Bool {
        changed < time - settlingTime
    }

    /// Returns a status that no file has, with the same inode.
    var unsettled: FileStatus { FileStatus(size: size, modified: modified, changed: .min, inode: inode) }
}
