import Foundation
import RoostFiles
import TestSupport
import Testing

@Suite(.temporaryFolders) struct FolderListingTests {
    @Test func `items have their types, and links are not followed`() throws {
        let folder = try TemporaryFolder().url
        try Data("text".utf8).write(to: folder.appendingPathComponent(".file"))
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("folder"), withIntermediateDirectories: false)
        #expect(symlink("folder", folder.appendingPathComponent("link").path) == 0)
        #expect(mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
        let listing = try FolderListing(folder.path)
        let kinds = Dictionary(uniqueKeysWithValues: listing.items.map { ($0.name, $0.kind) })
        #expect(kinds == [".file": .file, "folder": .folder, "link": .other, "pipe": .other])
        #expect(listing.invalidNames.isEmpty)
        #expect(try FileSystem.isRegularFile(folder.path + "/.file"))
        for name in ["folder", "link", "pipe", "missing", ".file/below"] {
            #expect(try !FileSystem.isRegularFile(folder.path + "/" + name))
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
            #expect(listing.items.isEmpty)
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
