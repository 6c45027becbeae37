import Foundation
import TestSupport
import Testing

/// Tests of a sync that would remove many entries.
@Suite(.temporaryFolders) struct SyncConfirmationTests {
    private let cli = CommandLineDriver()

    /// Syncs a folder with ten files, of which three are removed then.
    private func prepare() throws {
        let notes = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        let files = (0..<10).map { notes.appendingPathComponent("\($0).md") }
        for (number, file) in files.enumerated() { try Data("text \(number)".utf8).write(to: file) }
        #expect(try cli.roost("folder", "add", "notes").status == 0)
        #expect(try cli.roost("sync").output.hasPrefix("10 new"))
        for file in files.prefix(3) { try FileManager.default.removeItem(at: file) }
    }

    @Test(arguments: [("\n", false), ("certainly\n", false), ("Yes\n", true)])
    func `the answer at a terminal decides whether many entries are removed`(
        answer: String, isYes: Bool
    ) throws {
        try prepare()
        let (status, data) = try PseudoTerminal.conversation(
            with: CommandLineDriver.binary, ["sync"], in: cli.home,
            environment: ["HOME": cli.home.path, "PATH": "/usr/bin:/bin", "TERM": "xterm"],
            steps: [("Remove their entries? [y/N] ", answer)])
        let output = String(decoding: data, as: UTF8.self)
        #expect(output.contains("3 of 10 known files"), "\(output)")
        #expect(output.contains(isYes ? " 3 removed" : "nothing was changed for this folder"), "\(output)")
        #expect(status == (isYes ? 0 : 1))
        // The next sync asks again, unless the entries were removed.
        let next = try cli.roost("sync")
        #expect(next.status == (isYes ? 0 : 75), "\(next)")
        #expect(next.error.contains("3 of 10 known files") == !isYes, "\(next)")
        #expect(try cli.roost("sync", "--yes").output.contains(isYes ? " 0 removed" : " 3 removed"))
    }

    @Test(.enabled(if: ReadOnlyMount.isAvailable, "mounting a file system requires Linux and root"))
    func `a file system that is not mounted removes nothing`() throws {
        for name in ["notes", "other"] {
            try FileManager.default.createDirectory(
                at: cli.home.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        // One file is missing below the mount point, which alone needs no confirmation.
        let script = """
            set -e
            write() { for name in "$@"; do echo "text $name" > notes/$name.md; done; }
            mount -t tmpfs none notes
            write 0 1 2 3 4 5 6 7 8 9
            "$1" folder add notes > /dev/null 2>&1
            "$1" sync
            umount notes
            write 1 2 3 4 5 6 7 8 9
            "$1" sync || echo "status $?"
            """
        // The mounts exist only for the script. The folder that is mounted read-only is not used.
        let outcome = try ReadOnlyMount.run(
            script, CommandLineDriver.binary.path, readOnly: cli.home.appendingPathComponent("other").path,
            in: cli.home.path)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("10 new") == true && lines.last == "status 75", "\(outcome)")
        #expect(outcome.error.contains("no longer mounted"), "\(outcome)")
    }
}
