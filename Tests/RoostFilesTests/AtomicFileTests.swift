import Foundation
import RoostFiles
import TestSupport
import Testing

@Suite(.temporaryFolders) struct AtomicFileTests {
    @Test func `a symbolic link in place of a temporary file is not followed`() throws {
        let folder = try TemporaryFolder()
        let victim = folder.url.appendingPathComponent("victim")
        try Data("mine".utf8).write(to: victim)
        // The names of temporary files contain random numbers. Even if another user guessed one, the link
        // would not be followed.
        let planted = folder.url.appendingPathComponent(".entries.json.1.2.tmp")
        try FileManager.default.createSymbolicLink(at: planted, withDestinationURL: victim)
        #expect(throws: FileError.self) { try FileDescriptor(planted.path, O_WRONLY | O_CREAT | O_EXCL) }
        #expect(throws: FileError.self) { try FileDescriptor(planted.path, O_WRONLY | O_CREAT) }
        try AtomicFile.removeLeftovers(in: folder.url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["victim"])
        #expect(try Data(contentsOf: victim) == Data("mine".utf8))
    }

    @Test func `a failed write leaves the old file and no temporary file`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("file")
        try AtomicFile.write(Data("old".utf8), to: file)
        for kind in [FileStep.Kind.create, .write, .fsync, .rename] {
            let files = FileSystem { $0.kind == kind ? .error(EIO) : nil }
            let error = #expect(throws: FileError.self) {
                try AtomicFile.write(Data("new".utf8), to: file, files: files)
            }
            #expect(error?.path == file.path && error?.errno == EIO)
            #expect(try Data(contentsOf: file) == Data("old".utf8))
            #expect(AtomicFile.leftovers(in: folder.url).isEmpty)
        }
    }

    @Test(arguments: ["n", "ü", "👩‍🚒"]) func `a file can have the longest name`(character: String) throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: character, count: 255 / character.utf8.count)
        let file = folder.url.appendingPathComponent(name)
        try AtomicFile.write(Data("old".utf8), to: file)
        // The name of the temporary file, which is shorter, has the same form.
        let unfinished = try ReplacementFile(of: file)
        let leftovers = AtomicFile.leftovers(in: folder.url)
        #expect(leftovers.count == 1 && leftovers[0].hasPrefix(".\(character)"))
        try unfinished.write(Data("new".utf8))
        try unfinished.publish()
        #expect(try Data(contentsOf: file) == Data("new".utf8))
    }

    @Test func `the first write to a folder removes the temporary files of processes that have ended`() throws
    {
        let folder = try TemporaryFolder().url
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        func create(_ name: String) throws -> FileDescriptor {
            try FileDescriptor(folder.appendingPathComponent(name).path, O_RDWR | O_CREAT)
        }
        let names = [
            ".a.txt.\(ended.processIdentifier).1.tmp", ".a.txt.\(ended.processIdentifier).2.tmp",
            ".a.txt.\(getpid()).3.tmp", "a.txt.\(ended.processIdentifier).4.tmp",
        ]
        for name in names { _ = try create(name) }
        // Its writer is a process that this one cannot see, for example in a container.
        let locked = try create(names[1])
        #expect(flock(locked.raw, LOCK_EX) == 0)
        try AtomicFile.write(Data("text".utf8), to: folder.appendingPathComponent("a.txt"))
        let left = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
        #expect(left == Set(names.dropFirst() + ["a.txt"]))
        withExtendedLifetime(locked) {}
    }
}
