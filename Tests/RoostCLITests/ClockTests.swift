import Foundation
import TestSupport
import Testing

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

    /// The years 11502, 2270 and 1969.
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
