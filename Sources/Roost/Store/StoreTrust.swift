import Foundation
import RoostModel

/// The check that nobody except the user and the administrator controls a store that was found by walking
/// upward.
///
/// A user who did not name a store expects one of their own. Without the check, a folder of another user
/// could contain a store, or links to files of the victim, and would receive the victim's texts. The check
/// uses `lstat` and descriptors that do not follow links, and never opens a file, because closing a
/// descriptor of a database file would release the locks that SQLite holds on it.
///
/// The check remains valid after it returns: it also requires that no other user can replace the store's
/// folder or one of its parent folders.
struct StoreTrust {
    struct Refusal: Error {
        let reason: String
    }

    private let user = geteuid()
    /// The users who may own the store and its parent folders. The owner of the root folder is the
    /// administrator: in a container with its own user ids, this is not user 0.
    private let owners: Set<uid_t>
    private let isPrivate: (gid_t) -> Bool

    /// The folders in which only the types of files are checked, because they can contain very many files.
    /// Nobody except the user can place files in them, because the folders themselves are checked completely.
    private static let bulkFolders: Set<String> = ["originals", "backups"]
    /// The maximum depth of folders in a store, which is far more than any version creates.
    private static let maximumDepth = 16

    init(isPrivateGroup: @escaping (gid_t) -> Bool = Self.isPrivateGroup) {
        var root = stat()
        owners = lstat("/", &root) == 0 ? [user, 0, root.st_uid] : [user, 0]
        isPrivate = isPrivateGroup
    }

    /// Checks a store's folder.
    ///
    /// - Parameter folder: The path of the store's folder. The path of its parent has no symbolic links.
    func check(_ folder: URL) throws {
        try checkParents(of: folder)
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.refusal(folder.path, errno) }
        try checkFolder(descriptor, folder.path, depth: 0, isBulk: false)
    }

    /// Checks that no other user can replace the store's folder with another one.
    private func checkParents(of folder: URL) throws {
        var path = folder.path
        while path != "/" {
            path = (path as NSString).deletingLastPathComponent
            var status = stat()
            guard lstat(path, &status) == 0 else { throw Self.refusal(path, errno) }
            guard owners.contains(status.st_uid) else {
                throw Refusal(
                    reason: "another user owns the parent folder \(path) and could replace the store")
            }
            // In a folder with the sticky bit, only the owner of a file can rename it.
            guard status.st_mode & S_ISVTX != 0 || !isWritableByOthers(status) else {
                throw Refusal(
                    reason: "other users can write to the parent folder \(path) and could replace the store")
            }
        }
    }

    /// Checks an open folder and everything in it, and closes it.
    private func checkFolder(_ descriptor: Int32, _ path: String, depth: Int, isBulk: Bool) throws {
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            throw Self.refusal(path, errno)
        }
        defer { closedir(stream) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.refusal(path, errno) }
        try check(status, path)
        guard depth < Self.maximumDepth else { throw Refusal(reason: "\(path) is nested too deeply") }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            if isBulk, Int32(entry.pointee.d_type) == Int32(DT_REG) { continue }
            let below = path + "/" + name
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                if errno == ENOENT { continue }  // another process of the user removed the file
                throw Self.refusal(below, errno)
            }
            try check(status, below)
            guard status.st_mode & S_IFMT == S_IFDIR else { continue }
            let inner = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0 else {
                if errno == ENOENT { continue }
                throw Self.refusal(below, errno)
            }
            try checkFolder(
                inner, below, depth: depth + 1, isBulk: isBulk || Self.bulkFolders.contains(name))
        }
    }

    private func check(_ status: stat, _ path: String) throws {
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFDIR: break
        case S_IFLNK: throw Refusal(reason: "\(path) is a symbolic link")
        default: throw Refusal(reason: "\(path) is neither a regular file nor a folder")
        }
        guard owners.contains(status.st_uid) else { throw Refusal(reason: "another user owns \(path)") }
        guard !isWritableByOthers(status) else { throw Refusal(reason: "other users can write to \(path)") }
    }

    private func isWritableByOthers(_ status: stat) -> Bool {
        status.st_mode & S_IWOTH != 0 || (status.st_mode & S_IWGRP != 0 && !isPrivate(status.st_gid))
    }

    private static func refusal(_ path: String, _ code: Int32) -> Refusal {
        // With O_NOFOLLOW and O_DIRECTORY, a symbolic link is reported by one of these two codes.
        if code == ELOOP || code == ENOTDIR {
            return Refusal(reason: "\(path) is not a folder but a link or file")
        }
        return Refusal(reason: "\(path) cannot be inspected (\(String(cString: strerror(code))))")
    }

    /// Returns whether a group contains only the user: the group has the name of the user and no other
    /// members. Many systems create such a group for every user, and let it write to the user's files.
    private static func isPrivateGroup(_ id: gid_t) -> Bool {
        if id == 0 { return true }
        // The functions without `_r` return memory that other threads overwrite.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: maximumRecordLength) { buffer in
            guard let bytes = buffer.baseAddress else { return false }
            var account = passwd()
            var foundAccount: UnsafeMutablePointer<passwd>?
            getpwuid_r(geteuid(), &account, bytes, buffer.count, &foundAccount)
            guard foundAccount != nil, let name = account.pw_name else { return false }
            let user = String(cString: name)
            var entry = group()
            var foundEntry: UnsafeMutablePointer<group>?
            getgrgid_r(id, &entry, bytes, buffer.count, &foundEntry)
            guard foundEntry != nil, let name = entry.gr_name, String(cString: name) == user else {
                return false
            }
            var member = entry.gr_mem
            while let name = member?.pointee {
                guard String(cString: name) == user else { return false }
                member = member?.advanced(by: 1)
            }
            return true
        }
    }

    /// The maximum length in bytes of the record of a user or group. A group with a longer one has many
    /// members.
    private static let maximumRecordLength = 1 << 16
}
