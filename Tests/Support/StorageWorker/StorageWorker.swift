import CrashWorkload
import Foundation
import RoostModel
import RoostStorage
import RoostTestKit

/// An executable that lets tests use a store from another process.
@main
enum StorageWorker {
    static func main() async {
        do {
            try await run()
        } catch {
            // An error that leaves `main` would end the process with a signal, as a crash does.
            FileHandle.standardError.write(Data("storage-worker: \(error)\n".utf8))
            exit(70)
        }
    }

    private static func run() async throws {
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
            // `storage-worker job BACKEND FOLDER …`, followed by the arguments of `StorageJob`.
            guard arguments.count > 2, let backend = CrashWorkload.Backend(rawValue: arguments[0]),
                let job = StorageJob(arguments: Array(arguments.dropFirst(2)))
            else { exit(64) }
            let store = try await CrashWorkload.open(backend, in: URL(fileURLWithPath: arguments[1]))
            try await job.run(on: store)
        case "pairs":
            // `storage-worker pairs BACKEND FOLDER NAME COUNT` writes the number of each acknowledged pair.
            guard arguments.count == 4, let backend = ConversationWorkload.Backend(rawValue: arguments[0]),
                let count = Int(arguments[3])
            else { exit(64) }
            let workload = try ConversationWorkload(backend, in: URL(fileURLWithPath: arguments[1]))
            for number in 0..<count {
                try await workload.addPair("\(arguments[2]) \(number)")
                FileHandle.standardOutput.write(Data("\(number + 1)\n".utf8))
            }
        case "is-locked":
            // `storage-worker is-locked FILE` exits with status 0 if another process holds a lock on a database,
            // otherwise with 1. An open connection in write-ahead mode locks one of SQLite's 510 shared bytes.
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
