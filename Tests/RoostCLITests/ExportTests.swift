import Foundation
import RoostFiles
import TestSupport
import Testing

@testable import RoostCLI

@Suite(.temporaryFolders) struct ExportedTableTests {
    private let cli = CommandLineDriver()

    private func file(_ name: String) -> URL { cli.home.appendingPathComponent(name) }

    @discardableResult
    private func run(_ arguments: String...) throws -> CommandLineDriver.Outcome {
        let outcome = try cli.roost(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
        return outcome
    }

    private func prepare() throws {
        try run("init", "s", "--model=lexical")
        for text in ["a swift", "green tea"] { try run("add", "--store=s", text) }
    }

    @Test func `the extension of the file chooses the format`() throws {
        try prepare()
        for (name, start) in [("x.csv", "id,source,"), ("x.jsonl", "{\"content\""), ("x", "{\"content\"")] {
            try run("export", "entries", "--store=s", "-o", name)
            let text = try String(contentsOf: file(name), encoding: .utf8)
            #expect(text.hasPrefix(start), "\(name): \(text.prefix(40))")
        }
        #expect(try cli.roost("export", "entries", "--store=s", "-o", "x.parquet").status == 64)
    }

    @Test func `an export of vectors replaces no other table`() throws {
        try prepare()
        try cli.write("precious,data\n", to: "v.csv")
        try cli.expect(73, "v.csv", "export", "entries", "--store=s", "-o", "v.npy")
        #expect(try String(contentsOf: file("v.csv"), encoding: .utf8) == "precious,data\n")
        #expect(!FileManager.default.fileExists(atPath: file("v.npy").path))
        for _ in 0..<2 { try run("export", "entries", "--store=s", "--format=npy", "-o", "w.npy") }
        let array = try Data(contentsOf: file("w.npy"))
        #expect(String(decoding: array.prefix(128), as: UTF8.self).contains("(2, 512)"))
    }
}

@Suite(.temporaryFolders) struct OutputFileTests {
    @Test func `A file is replaced only when the output is complete`() throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appendingPathComponent("target.csv")
        let link = folder.url.appendingPathComponent("link.csv")
        try Data("old".utf8).write(to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target.path)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let piece = Data(repeating: UInt8(ascii: "x"), count: 700_000)

        var file: OutputFile? = try OutputFile(link.path)
        for _ in 0..<3 { try file?.write(piece) }
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        let unfinished = try #require(AtomicFile.leftovers(in: folder.url).first)
        let written = try Data(contentsOf: folder.url.appendingPathComponent(unfinished))
        #expect(written.count >= 1_400_000, "the first pieces are not only in memory")
        file = nil
        #expect(AtomicFile.leftovers(in: folder.url).isEmpty)
        #expect(try Data(contentsOf: target) == Data("old".utf8))

        let complete = try OutputFile(link.path)
        for _ in 0..<3 { try complete.write(piece) }
        try complete.finish()
        #expect(try Data(contentsOf: target).count == 2_100_000)
        let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path).hasSuffix("target.csv"))
    }

    @Test(arguments: [("missing/target.csv", "missing"), ("missing/", "name a file")])
    func `A target that cannot be created is reported before anything is written`(
        path: String, cause: String
    ) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: CommandError.self) { try OutputFile(folder.url.path + "/" + path) }
        #expect(error?.status == .cannotCreate && error?.message.contains(cause) == true)
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/missing"))
    }

    @Test func `A standard output that does not block gets all bytes`() throws {
        let cli = CommandLineDriver()
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let text = String(repeating: "a swift above the roof. ", count: 20_000)
        try cli.write(text, to: "a.md")
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        let output = Pipe()
        let writing = output.fileHandleForWriting.fileDescriptor
        #expect(fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK) == 0)
        let process = Process()
        process.executableURL = CommandLineDriver.binary
        process.arguments = ["export", "entries", "--store=s"]
        process.currentDirectoryURL = cli.home
        process.environment = ["HOME": cli.home.path, "PATH": "/usr/bin:/bin"]
        process.standardOutput = output
        try TestTool.start(process)
        // The output fills the pipe before the first byte is read.
        Thread.sleep(forTimeInterval: 1)
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(bytes.count > text.utf8.count)
    }
}

/// Compares the lists of libraries that an installation needs.
@Suite struct PackageListTests {
    private func text(of path: String) throws -> String {
        try String(contentsOf: Fixtures.repository.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func `the guide names the packages of the Homebrew formula`() throws {
        let formula = try text(of: "Packaging/roost.rb.in")
        // The packages of an indented section are only for Linux.
        let needed = formula.matches(of: /\n  depends_on "(?<name>[^"]+)"/).map { String($0.name) }
        let guide = try text(of: "Documentation/Guides/Installing.md")
        let command = try #require(guide.firstMatch(of: /brew install (?<names>.+)/))
        #expect(command.names.split(whereSeparator: \.isWhitespace).map(String.init) == needed)
    }

    @Test func `the manifest names the packages of Debian that the setup installs`() throws {
        let setup = try text(of: "Scripts/setup")
        let needed = try text(of: "Package.swift").matches(of: /\.apt\(\[(?<names>[^\]]+)\]\)/)
            .flatMap { $0.names.matches(of: /"(?<name>[^"]+)"/).map { String($0.name) } }
        #expect(needed.count > 10)
        for name in needed { #expect(setup.contains(name), "\(name)") }
    }

    @Test(arguments: ["Packaging/roost.service", "Documentation/Guides/Folders.md"])
    func `a service runs the program that the Debian package installs`(path: String) throws {
        // `Scripts/package` replaces this path in the unit of the tarball.
        let programs = try text(of: path).matches(of: /ExecStart=(?<program>\S+)/).map { String($0.program) }
        #expect(programs == ["/usr/bin/roost"])
    }

    @Test func `the service has limits on memory, system calls and networks`() throws {
        let unit = try text(of: "Packaging/roost.service")
        for setting in [
            "NoNewPrivileges", "SystemCallFilter", "RestrictAddressFamilies", "MemoryDenyWriteExecute",
            "MemoryMax",
        ] {
            #expect(unit.contains("\n\(setting)="), "\(setting)")
        }
    }
}

/// The C compiler of the system; `nil` if none is installed.
private let compiler = ["/usr/bin/cc", "/usr/bin/clang"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// Commands with a system clock that is set to an extreme date. The tests require a C compiler.
@Suite(.temporaryFolders, .enabled(if: compiler != nil)) struct ClockTests {
    private let cli = CommandLineDriver()

    /// The source of a library that shifts the time of day of a process, but not its monotonic clock.
    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>
        typedef int (*clock_function)(clockid_t, struct timespec *);
        static long shift(clock_function real) {
            static long seconds; static int known;
            if (!known) {
                struct timespec now; real(CLOCK_REALTIME, &now);
                seconds = atol(getenv("CLOCK_AT")) - now.tv_sec; known = 1;
            }
            return seconds;
        }
        int clock_gettime(clockid_t id, struct timespec *time) {
            clock_function real = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
            int result = real(id, time);
            if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) time->tv_sec += shift(real);
            return result;
        }
        int gettimeofday(struct timeval *time, void *zone) {
            struct timespec now; clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec; time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }
        time_t time(time_t *result) {
            struct timespec now; clock_gettime(CLOCK_REALTIME, &now);
            if (result) *result = now.tv_sec;
            return now.tv_sec;
        }
        """

    private func compile() throws -> URL {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        let (source, library) = (
            cli.home.appendingPathComponent("clock.c"), cli.home.appendingPathComponent("clock.so")
        )
        try Self.source.write(to: source, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: compiler ?? "")
        process.arguments = ["-shared", "-fPIC", "-o", library.path, source.path, "-ldl"]
        try TestTool.start(process)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return library
    }

    @Test(arguments: ["300800000000", "9470000000", "-864000"])
    func `a command with an extreme system date ends with a result or a message`(date: String) throws {
        let library = try compile()
        #expect(try cli.roost("add", "a swift above the roof", "--store=s").status == 0)
        for arguments in [
            ["add", "a boat on the lake"], ["query", "swift"], ["list"], ["recluster"], ["status"],
        ] {
            let running = try cli.start(
                arguments + ["--store=s"], environment: ["LD_PRELOAD": library.path, "CLOCK_AT": date])
            try running.input.close()
            let outcome = try running.outcome()
            #expect(running.process.terminationReason == .exit, "\(arguments): \(outcome.error)")
            #expect(outcome.status < 128 && outcome.status != 70, "\(arguments): \(outcome)")
        }
    }
}
