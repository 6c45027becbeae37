import CFaultyVFS
import Foundation
import RoostFiles
import Synchronization

/// `storage-worker crash|conversations BACKEND FOLDER POINT before|half`
///
/// Performs the writes of a workload, and prints the number of each acknowledged write to standard output. The process
/// kills itself at file system step POINT: before the step, or halfway through it if it is a write. If POINT is 0, the
/// process completes the workload and prints the total number of steps to standard error.
struct CrashRun {
    // This property is static because the hook of SQLite's file system is a C function, which cannot capture values.
    private static let point = Atomic(0)
    private static let isHalf = Atomic(false)
    private static let steps = Atomic(0)

    private let isDatabase: Bool
    private let folder: URL

    init(_ arguments: [String], isDatabase: Bool) {
        guard arguments.count == 4, let point = Int(arguments[2]) else { exit(64) }
        self.isDatabase = isDatabase
        folder = URL(fileURLWithPath: arguments[1])
        Self.point.store(point, ordering: .relaxed)
        Self.isHalf.store(arguments[3] == "half", ordering: .relaxed)
    }

    /// Returns whether the process must kill itself at the current step.
    private static func isDue() -> Bool {
        steps.add(1, ordering: .relaxed).newValue == point.load(ordering: .relaxed)
    }

    private static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { sleep(1) }
    }

    func run(
        _ workload: (_ folder: URL, _ files: FileSystem, _ acknowledge: (Int) -> Void) async throws -> Void
    ) async throws {
        let files = FileSystem { step in
            guard Self.isDue() else { return nil }
            guard Self.isHalf.load(ordering: .relaxed), step.kind == .write else { Self.die() }
            return .shortWrite(count: step.count / 2) { Self.die() }
        }
        if isDatabase {
            let installed = faulty_vfs_install { @Sendable step, _ in
                guard CrashRun.isDue() else { return Int32(FAULTY_GO_ON.rawValue) }
                guard CrashRun.isHalf.load(ordering: .relaxed), step == FAULTY_WRITE.rawValue else {
                    CrashRun.die()
                }
                return Int32(FAULTY_HALF_THEN_KILL.rawValue)
            }
            guard installed == 0 else { exit(70) }
        }
        try await workload(folder, files) { number in
            let line = Array("\(number)\n".utf8)
            _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress!, $0.count) }
        }
        FileHandle.standardError.write(Data("\(Self.steps.load(ordering: .relaxed))\n".utf8))
    }
}
