#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import RoostDocuments

    /// Tests of separate programs.
    struct ProgramRunnerTests {
        @Test func `a program inherits no open file`() throws {
            let file = open("/dev/null", O_RDONLY)  // without `O_CLOEXEC`, as libraries open files
            let number = fcntl(file, F_DUPFD, 30)
            defer {
                close(file)
                close(number)
            }
            let runner = ProgramRunner(
                folder: try PrivateFolder(), limits: DocumentLimits(), isCancelled: { false })
            let list = try #require(ProgramRunner.path(of: "ls"))
            let result = try runner.run(
                list, ["/proc/self/fd"], deadline: .now + .seconds(10), maximumOutput: 10_000)
            let names = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
            // `ls` itself reads the folder through one more file.
            #expect(names.starts(with: ["0", "1", "2"]) && names.count <= 4, "\(names)")
            #expect(result.status == 0)
        }
    }
#endif
