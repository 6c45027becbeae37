import Foundation
import TestSupport
import Testing

/// Tests of folders that contain notes and files that cannot be read.
@Suite(.temporaryFolders) struct HostileFolderTests {
    private let cli = CommandLineDriver()

    /// A shell command that limits the memory of a process, so that it cannot read or map 2 GB.
    private static let launcher = ["/bin/sh", "-c", #"ulimit -v 2000000; exec "$0" "$@""#]

    /// Creates a folder with two notes, and returns the reasons for which its other files are skipped.
    private func prepare() throws -> [String: String] {
        let manager = FileManager.default
        let folder = cli.home.appendingPathComponent("notes")
        try manager.createDirectory(
            at: folder.appendingPathComponent("sub"), withIntermediateDirectories: true)
        let path = folder.path
        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        try write("# Swifts are back", to: "a.md")
        try write("Herons wait.", to: "sub/b.txt")
        var reasons: [String: String] = [:]
        for (name, start) in [("sparse.txt", ""), ("table.csv", "id,text\n"), ("scan.pdf", "%PDF-1.4\n")] {
            try write(start, to: name)
            #expect(truncate("\(path)/\(name)", 2 << 30) == 0)
            reasons[name] = "it is larger than 1024 MB"
        }
        #expect(mkfifo(path + "/pipe.md", 0o600) == 0)
        for (name, target) in [("device.md", "/dev/zero"), ("self.md", "self.md"), ("sub/loop", "..")] {
            try manager.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
        }
        (reasons["pipe.md"], reasons["device.md"]) = ("it is not a regular file", "it is not a regular file")
        reasons["self.md"] = "Too many levels of symbolic links"
        reasons["sub/loop"] = "a symbolic link to one of its parent folders"
        #if os(Linux)
            #expect(mknod(path + "/socket.md", S_IFSOCK | 0o600, 0) == 0)
            reasons["socket.md"] = "it is not a regular file"
            let name = Array((path + "/").utf8) + [0xFF] + Array(".md".utf8) + [0]
            let file = name.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
            }
            #expect(file >= 0)
            close(file)
            reasons["\u{FFFD}.md"] = "its name is not valid UTF-8"
        #endif
        return reasons
    }

    @Test(arguments: [["ingest", "notes", "--follow"], ["sync"]])
    func `files that cannot be read are skipped, and the others are ingested`(
        arguments: [String]
    ) throws {
        let reasons = try prepare()
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        #expect(try cli.roost("folder", "add", "notes", "--follow", "--store=s").status == 0)
        let running = try cli.start(
            arguments + ["-v", "--store=s"],
            // Each arena of malloc reserves 64 MB, and their number grows with that of the processors.
            environment: ["OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"], launcher: Self.launcher)
        try running.input.close()
        let outcome = try running.outcome()
        #expect(outcome.status == 0 && outcome.output.hasPrefix("2 new"), "\(outcome)")
        #expect(outcome.output.contains(", \(reasons.count) skipped"), "\(outcome.output)")
        for (name, reason) in reasons {
            #expect(outcome.error.contains("notes/\(name): \(reason)"), "\(name): \(outcome.error)")
        }
    }
}
