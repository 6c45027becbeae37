import Foundation
import RoostFiles
import TestSupport
import Testing

@Suite(.temporaryFolders) struct FolderListingTests {
    @Test func `all names are listed, and links are not followed`() throws {
        let folder = try TemporaryFolder().url
        try Data("text".utf8).write(to: folder.appendingPathComponent(".file"))
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("folder"), withIntermediateDirectories: false)
        #expect(symlink("folder", folder.appendingPathComponent("link").path) == 0)
        #expect(mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
        let listing = try FolderListing(folder.path)
        #expect(listing.names.sorted() == [".file", "folder", "link", "pipe"])
        #expect(listing.invalidNames.isEmpty)
        #expect(try FileSystem.sizeOfRegularFile(folder.path + "/.file") == 4)
        for name in ["folder", "link", "pipe", "missing", ".file/below"] {
            #expect(try FileSystem.sizeOfRegularFile(folder.path + "/" + name) == nil)
        }
    }

    #if os(Linux)
        @Test func `a name that is not valid UTF-8 is listed separately`() throws {
            let folder = try TemporaryFolder().url
            let path = Array(folder.path.utf8CString.dropLast()) + [47, CChar(bitPattern: 0xFF), 97, 0]
            let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
            try #require(descriptor >= 0)
            close(descriptor)
            let listing = try FolderListing(folder.path)
            #expect(listing.names.isEmpty)
            #expect(listing.invalidNames == ["\u{FFFD}a"])
        }
    #endif

    @Test func `a folder that cannot be listed is an error with the cause`() throws {
        let folder = try TemporaryFolder().url
        let file = folder.appendingPathComponent("file")
        try Data().write(to: file)
        for (path, code) in [(folder.path + "/missing", ENOENT), (file.path, ENOTDIR)] {
            let error = #expect(throws: FileError.self) { _ = try FolderListing(path) }
            #expect(error?.errno == code && error?.path == path)
        }
    }
}

/// Tests of temporary folders that remain after the end of their process.
@Suite(.temporaryFolders) struct LockedTemporaryFolderTests {
    private let prefix = "roost-some-purpose-"

    private func create(_ name: String, in parent: URL, mode: Int = 0o700, hasLock: Bool = true) throws -> URL
    {
        let folder = parent.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
        // The attributes of a new folder are subject to the mask of the process.
        #expect(chmod(folder.path, mode_t(mode)) == 0)
        try Data("secret".utf8).write(to: folder.appendingPathComponent("copy"))
        if hasLock { try Data().write(to: folder.appendingPathComponent("lock")) }
        return folder
    }

    @Test func `a folder that is in use stays, and an abandoned one is removed`() throws {
        let parent = try TemporaryFolder().url
        let used = try LockedTemporaryFolder(prefix: prefix, in: parent)
        let abandoned = try create(prefix + UUID().uuidString, in: parent)
        let next = try LockedTemporaryFolder(prefix: prefix, in: parent)
        func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }
        #expect(exists(used.url) && exists(next.url) && !exists(abandoned))
        used.remove()
        #expect(!exists(used.url) && exists(next.url))
        next.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
    }

    @Test func `folders that do not certainly belong to an ended process stay`() throws {
        let parent = try TemporaryFolder().url
        let target = try create("target", in: parent)
        let link = parent.appendingPathComponent(prefix + UUID().uuidString)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let kept = [
            link, try create(prefix + "notes", in: parent),
            try create(prefix + UUID().uuidString, in: parent, mode: 0o777),
            // Another process may have just created it.
            try create(prefix + UUID().uuidString, in: parent, hasLock: false),
        ]
        LockedTemporaryFolder.removeAbandoned(prefix: prefix, in: parent)
        for folder in kept {
            #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("copy").path))
        }
    }
}
