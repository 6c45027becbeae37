import Foundation
import RoostFiles
import TestSupport
import Testing

/// Tests that a process that is stopped while it writes does not block readers.
@Suite(.temporaryFolders) struct StoppedWriterTests {
    let commands = CommandLineDriver()
    var lock: URL { commands.home.appendingPathComponent("s/lock") }

    /// Starts a command and stops it while it holds the writers' lock. The result is `nil` if the command
    /// ended too early.
    private func stopped(_ arguments: [String]) throws -> CommandLineDriver.Running? {
        let running = try commands.start(arguments)
        try running.input.close()
        while running.process.isRunning {
            if try isLocked() {
                kill(running.process.processIdentifier, SIGSTOP)
                // The signal takes effect asynchronously. A command that still holds the lock after the check
                // has been repeated for a while is stopped; otherwise it continues.
                var checks = 0
                while checks < 100, try isLocked() {
                    usleep(2000)
                    checks += 1
                }
                if checks == 100 { return running }
                kill(running.process.processIdentifier, SIGCONT)
            }
        }
        _ = try running.outcome()
        return nil
    }

    private func isLocked() throws -> Bool { try FileLock.shared(lock) == nil }

    @Test(arguments: ["sqlite", "json"])
    func `readers do not wait for a writer that is stopped`(provider: String) throws {
        #expect(try commands.roost("init", "s", "--provider", provider, "--model", "lexical").status == 0)
        #expect(try commands.roost("add", "the swift is back", "--tag", "bird", "--store", "s").status == 0)
        var writer: CommandLineDriver.Running?
        // Most attempts stop the command while it holds the lock.
        for _ in 0..<200 where writer == nil {
            writer = try stopped(["doctor", "--compact", "--store", "s"])
        }
        let running = try #require(writer, "the command could not be stopped while it held the lock")
        defer {
            kill(running.process.processIdentifier, SIGKILL)
            running.process.waitUntilExit()
        }
        for arguments in [
            ["query", "swift", "--tag", "bird"], ["list"], ["export", "clusters"], ["doctor"],
        ] {
            let reader = try commands.start(arguments + ["--store", "s"])
            try reader.input.close()
            let outcome = try reader.outcome()
            #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
            #expect(!outcome.error.contains("locked"), "\(arguments): \(outcome.error)")
            #expect(try isLocked(), "the writer released the lock")
        }
    }
}
