import Foundation
import RoostFiles
import TestSupport
import Testing

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
        let old = try create(prefix + UUID().uuidString, in: parent, hasLock: false)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -200_000)], ofItemAtPath: old.path)
        LockedTemporaryFolder.removeAbandoned(prefix: prefix, in: parent)
        for folder in kept {
            #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("copy").path))
        }
        #expect(!FileManager.default.fileExists(atPath: old.path))
    }
}
