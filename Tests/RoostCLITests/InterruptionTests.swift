import Foundation
import TestSupport
import Testing

/// Tests of commands that are interrupted or killed, and of output that cannot be written.
@Suite(.temporaryFolders) struct InterruptionTests {
    let commands = CommandLineDriver()

    /// Writes a file whose ingest takes many commits.
    private func writeLines(_ count: Int) throws -> URL {
        try FileManager.default.createDirectory(at: commands.home, withIntermediateDirectories: true)
        let file = commands.home.appendingPathComponent("lines.jsonl")
        let lines = (0..<count).map {
            "{\"id\": \"\($0)\", \"text\": \"the swift number \($0) went south\"}\n"
        }
        try Data(lines.joined().utf8).write(to: file)
        return file
    }

    private func count() throws -> Int {
        let list = try commands.roost("status", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
        return try #require((object?["stamp"] as? [String: Any])?["entryCount"] as? Int)
    }

    /// Waits until the store contains an entry, then sends the signal.
    private func interrupt(_ running: CommandLineDriver.Running, with signal: Int32) throws
        -> CommandLineDriver.Outcome
    {
        for _ in 0..<500 where running.process.isRunning {
            if try count() > 0 { break }
        }
        kill(running.process.processIdentifier, signal)
        return try running.outcome()
    }

    @Test(arguments: ["sqlite", "json"])
    func `Ctrl-C keeps committed entries and reports their number`(provider: String) throws {
        let file = try writeLines(60_000)
        #expect(try commands.roost("init", "--provider", provider).status == 0)
        let outcome = try interrupt(try commands.start(["ingest", file.path]), with: SIGINT)
        #expect(outcome.status == 130)
        #expect(outcome.error.contains("stopped: "))
        let kept = try count()
        #expect(kept > 0 && kept < 60_000)
        #expect(outcome.error.contains("stopped: \(kept) entries were added or updated"))
    }

    @Test(arguments: ["sqlite", "json"])
    func `a killed ingest resumes where it stopped`(provider: String) throws {
        let file = try writeLines(20_000)
        #expect(try commands.roost("init", "--provider", provider).status == 0)
        _ = try interrupt(try commands.start(["ingest", file.path]), with: SIGKILL)
        let kept = try count()
        #expect(kept > 0 && kept < 20_000)
        let again = try commands.roost("ingest", file.path)
        #expect(again.output == "\(20_000 - kept) new, 0 updated, 0 removed, \(kept) unchanged, 0 skipped\n")
        #expect(try count() == 20_000)
    }

    @Test func `Ctrl-C ends a command that is waiting for input`() throws {
        #expect(try commands.roost("init").status == 0)
        let running = try commands.start(["ingest", "-"])
        try running.input.write(contentsOf: Data("a line\n".utf8))
        // When the command has read the line, it waits for more.
        var unread: CInt = 1
        while unread > 0, running.process.isRunning {
            usleep(5000)
            guard ioctl(running.input.fileDescriptor, UInt(FIONREAD), &unread) == 0 else { break }
        }
        kill(running.process.processIdentifier, SIGINT)
        #expect(try running.outcome().status == 130)
        #expect(try count() == 0)
    }

    /// The decoding of an array has no point at which it can stop.
    @Test func `Ctrl-C ends the import of a large file within a second`() throws {
        try FileManager.default.createDirectory(at: commands.home, withIntermediateDirectories: true)
        let file = commands.home.appendingPathComponent("entries.json")
        let entries = (0..<300_000).map { number in
            let digits = String(number)
            let id = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
            return "{\"id\": \"\(id)\", \"content\": \"the swift number \(number) went south\"}"
        }
        try Data(entries.joined(separator: "\n").utf8).write(to: file)
        let running = try commands.start(["import", file.path])
        usleep(500_000)
        let time = try ContinuousClock().measure {
            kill(running.process.processIdentifier, SIGINT)
            let outcome = try running.outcome()
            #expect(outcome.status == 130 && outcome.error.contains("stopped"), "\(outcome)")
        }
        // A busy machine needs longer than the second.
        #expect(time < .seconds(3))
    }

    @Test func `a closed pipe ends the command without a message`() throws {
        let file = try writeLines(5_000)
        #expect(try commands.roost("ingest", file.path, "-q").status == 0)
        let running = try commands.start(["export", "entries", "--with-embeddings"])
        #expect(try running.output.read(upToCount: 1)?.count == 1)
        try running.output.close()
        let error = try running.error.readToEnd() ?? Data()
        running.process.waitUntilExit()
        #expect(error.isEmpty)
        #expect(running.process.terminationReason == .uncaughtSignal)
        #expect(running.process.terminationStatus == SIGPIPE)
    }

    @Test func `a failed write of the output is an error`() throws {
        #expect(try commands.roost("add", "a swift").status == 0)
        let script = #"exec "$0" list > /dev/full"#
        let outcome = try commands.start([], launcher: ["/bin/sh", "-c", script]).outcome()
        #expect(outcome.status == 74)
        #expect(outcome.error.contains("cannot write the output: No space left on device"))
    }

    @Test func `a limit of the file size is named`() throws {
        let file = try writeLines(5_000)
        #expect(try commands.roost("init", "--provider", "json").status == 0)
        let script = "trap '' XFSZ; ulimit -f 300; exec \"$0\" ingest \(file.path)"
        let outcome = try commands.start([], launcher: ["/bin/bash", "-c", script]).outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.error.contains("File too large"), "\(outcome)")
    }

    @Test(arguments: [
        (">&-", "cannot write the output: Bad file descriptor"),
        ("<&-", "cannot read standard input: Bad file descriptor"),
    ])
    func `a closed standard stream is not replaced by another file`(closing: String, message: String) throws {
        let script = "printf one | \"$0\" add - \(closing)"
        let outcome = try commands.start([], launcher: ["/bin/sh", "-c", script]).outcome()
        #expect(outcome.status == 74 && outcome.error.contains(message), "\(outcome)")
    }
}
