import CFaultyVFS
import CrashWorkload
import Foundation
import RoostFiles
import RoostJSON
import RoostModel
import RoostTestKit
import Synchronization

/// What tests have another process do with a store.
@main
enum StorageWorker {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        switch CommandLine.arguments.dropFirst().first {
        case "crash":
            guard let backend = arguments.first.flatMap(CrashWorkload.Backend.init) else { exit(64) }
            try await CrashRun(arguments, isDatabase: backend == .sqlite).run { folder, files, acknowledge in
                let store = try await CrashWorkload.open(backend, in: folder, files: files)
                for (number, step) in CrashWorkload.steps.enumerated() {
                    try await CrashWorkload.perform(step, on: store)
                    acknowledge(number + 1)
                }
                try await store.close()
            }
        case "conversations":
            guard let backend = arguments.first.flatMap(ConversationWorkload.Backend.init) else { exit(64) }
            try await CrashRun(arguments, isDatabase: backend.isDatabase).run { folder, files, acknowledge in
                let workload = try ConversationWorkload(backend, in: folder, files: files)
                for number in 0..<ConversationWorkload.count {
                    try await workload.perform(number)
                    acknowledge(number + 1)
                }
            }
        case "fault": try await FaultRun(arguments).run()
        case "limited": try await LimitedRun(arguments).run()
        case "job":
            // `storage-worker job BACKEND FOLDER …`, the rest as `StorageJob` has it.
            guard arguments.count > 2, let backend = CrashWorkload.Backend(rawValue: arguments[0]),
                let job = StorageJob(arguments: Array(arguments.dropFirst(2)))
            else { exit(64) }
            let store = try await CrashWorkload.open(backend, in: URL(fileURLWithPath: arguments[1]))
            try await job.run(on: store)
        case "pairs":
            // `storage-worker pairs BACKEND FOLDER NAME COUNT`: writes the number of each that is
            // acknowledged.
            guard arguments.count == 4, let backend = ConversationWorkload.Backend(rawValue: arguments[0]),
                let count = Int(arguments[3])
            else { exit(64) }
            let workload = try ConversationWorkload(backend, in: URL(fileURLWithPath: arguments[1]))
            for number in 0..<count {
                try await workload.addPair("\(arguments[2]) \(number)")
                FileHandle.standardOutput.write(Data("\(number + 1)\n".utf8))
            }
        case "is-locked":
            // `storage-worker is-locked FILE`: whether another process has a lock on a database (SQLite's
            // shared
            // bytes, of which a connection with a log has one as long as it is open). Exits with 0 or 1.
            let file = open(arguments.first ?? "", O_RDWR)
            guard file >= 0 else { exit(66) }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            (lock.l_start, lock.l_len) = (0x4000_0002, 510)
            guard fcntl(file, F_GETLK, &lock) == 0 else { exit(70) }
            exit(lock.l_type == Int16(F_UNLCK) ? 1 : 0)
        case "default-folder":
            try await LocalStorageProvider().saveEntry(Entry(content: "Test", embeddings: [0.1, 0.2]))
        default: exit(64)
        }
    }
}

/// `storage-worker crash|conversations BACKEND FOLDER POINT before|half`
///
/// Makes the writes of a workload and writes the number of each to standard output when it is acknowledged.
/// The process kills itself at the POINT-th step of its file system, before it or in the middle of a write; 0
/// never: then the number of steps that there were is written to standard error.
struct CrashRun {
    // The file system of SQLite calls a C function, which can carry nothing along.
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

    /// Whether this is the step to die at.
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
