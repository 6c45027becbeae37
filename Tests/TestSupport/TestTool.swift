public import Foundation
import Synchronization

/// The executables of the package, which tests run as separate processes.
public enum TestTool {
    /// Returns the location of an executable that was built together with the tests.
    public static func url(_ name: String) -> URL {
        let paths = CommandLine.arguments + [Bundle.main.executablePath ?? "", Bundle.main.bundlePath]
        let folders = paths.flatMap { path -> [URL] in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            return [folder, folder.deletingLastPathComponent()]
        }
        let candidates = folders.map { $0.appendingPathComponent(name) }
        guard let tool = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
        else { preconditionFailure("\(name) must be in the folder of the test executable") }
        return tool
    }

    private static let starting = Mutex(())

    /// Starts a process. Foundation's `Process` must not be started on several threads at once.
    public static func start(_ process: Process) throws {
        try starting.withLock { _ in try process.run() }
    }
}
