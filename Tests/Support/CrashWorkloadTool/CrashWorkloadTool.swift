import CFaultyVFS
import CrashWorkload
import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// `crash-workload BACKEND FOLDER POINT before|half`
///
/// Makes the writes of `CrashWorkload` and writes the number of each to standard output when it is acknowledged.
/// The process kills itself at the POINT-th step of its file system, before it or in the middle of a write; 0
/// never: then the number of steps that there were is written to standard error.
@main
enum CrashWorkloadTool {
    static let point = Int(CommandLine.arguments[3]) ?? 0
    static let isHalf = CommandLine.arguments[4] == "half"
    static let steps = Atomic(0)

    /// Whether this is the step to die at.
    static func isDue() -> Bool { steps.add(1, ordering: .relaxed).newValue == point }

    static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { sleep(1) }
    }

    static func main() async throws {
        guard let backend = CrashWorkload.Backend(rawValue: CommandLine.arguments[1]) else { exit(64) }
        let files = FileSystem { step in
            guard isDue() else { return nil }
            guard isHalf, step.kind == .write else { die() }
            return .shortWrite(count: step.count / 2) { die() }
        }
        if backend == .sqlite {
            let installed = faulty_vfs_install { @Sendable step, _ in
                guard CrashWorkloadTool.isDue() else { return Int32(FAULTY_GO_ON.rawValue) }
                guard CrashWorkloadTool.isHalf, step == FAULTY_WRITE.rawValue else { CrashWorkloadTool.die() }
                return Int32(FAULTY_HALF_THEN_KILL.rawValue)
            }
            guard installed == 0 else { exit(70) }
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[2])
        let store = try await CrashWorkload.open(backend, in: folder, files: files)
        for (number, step) in CrashWorkload.steps.enumerated() {
            try await CrashWorkload.perform(step, on: store)
            let line = Array("\(number + 1)\n".utf8)
            _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress!, $0.count) }
        }
        try await store.close()
        FileHandle.standardError.write(Data("\(steps.load(ordering: .relaxed))\n".utf8))
    }
}
