import CrashWorkload
import Foundation
import RoostModel
import RoostTestKit

/// `storage-worker limited BACKEND FOLDER BYTES`
///
/// Saves entries until the system refuses to let a file grow beyond a size, which simulates a full disk. Then
/// checks that all acknowledged entries are present, removes the limit, and saves another entry.
struct LimitedRun {
    private let backend: CrashWorkload.Backend
    private let folder: URL
    private let size: Int

    init(_ arguments: [String]) {
        guard arguments.count == 3, let backend = CrashWorkload.Backend(rawValue: arguments[0]),
            let size = Int(arguments[2])
        else { exit(64) }
        self.backend = backend
        self.size = size
        folder = URL(fileURLWithPath: arguments[1])
    }

    private func setLimit(_ bytes: rlim_t) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = bytes
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    func run() async throws {
        signal(SIGXFSZ, SIG_IGN)
        let store = try await CrashWorkload.open(backend, in: folder)
        setLimit(rlim_t(size))
        var saved: [Entry] = []
        var refusal: StorageError?
        while refusal == nil, saved.count < 100_000 {
            let entry = Entry(
                content: "entry \(saved.count) " + String(repeating: "more text ", count: 50),
                embeddings: [1, 0, 0, 0], createdAt: Date(milliseconds: Int64(saved.count)))
            do {
                try await store.saveEntry(entry)
                saved.append(entry)
            } catch let error as StorageError {
                refusal = error
            }
        }
        guard let refusal, [.inputOutput, .full].contains(refusal.code) else { exit(2) }
        guard try await store.fetchEntries() == saved else { exit(3) }
        setLimit(rlim_t.max)
        let other = try await CrashWorkload.open(backend, in: folder)
        guard try await other.fetchEntries() == saved else { exit(4) }
        try await other.saveEntry(Entry(content: "there is room again", embeddings: [0, 1, 0, 0]))
        guard try await store.fetchEntries().count == saved.count + 1 else { exit(5) }
        try await other.close()
        try await store.close()
        print("\(saved.count) entries, then: \(refusal)")
    }
}
