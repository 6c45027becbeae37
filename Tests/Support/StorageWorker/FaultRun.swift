import CFaultyVFS
import CrashWorkload
import Foundation
import RoostFiles
import RoostModel
import RoostTestKit
import Synchronization

/// `storage-worker fault BACKEND FOLDER KIND LIMIT`
///
/// Repeats the writes of `CrashWorkload`, each time with a fault at a different file system step. After the
/// fault, the provider and a new provider must find the store unchanged, and the same write must then
/// succeed. Prints the results to standard output, and exits with status 1 if any check failed.
struct FaultRun {
    enum Kind: String, CaseIterable {
        case ioError = "io-error"
        case diskFull = "disk-full"
        /// This step and all later ones fail until the write has failed.
        case diskStaysFull = "disk-stays-full"
        case shortWrite = "short-write"
        case noPermission = "no-permission"

        var code: Int32 {
            switch self {
            case .ioError, .shortWrite: EIO
            case .diskFull, .diskStaysFull: ENOSPC
            case .noPermission: EACCES
            }
        }
    }

    // This property is static because the hook of SQLite's file system is a C function, which cannot capture values.
    private static let point = Atomic(0)
    private static let steps = Atomic(0)
    private static let kind = Mutex(Kind.ioError)
    /// The number of attempts in which a step has failed.
    private static let faults = Atomic(0)

    private let backend: CrashWorkload.Backend
    private let folder: URL
    private let kind: Kind
    private let limit: Int

    init(_ arguments: [String]) {
        guard arguments.count == 4, let backend = CrashWorkload.Backend(rawValue: arguments[0]),
            let kind = Kind(rawValue: arguments[2]), let limit = Int(arguments[3])
        else { exit(64) }
        self.backend = backend
        self.kind = kind
        self.limit = limit
        folder = URL(fileURLWithPath: arguments[1])
        Self.kind.withLock { $0 = kind }
    }

    /// Returns whether the current step must fail. After `disarm`, none does.
    private static func isDue() -> Bool {
        let (step, point) = (steps.add(1, ordering: .relaxed).newValue, point.load(ordering: .relaxed))
        guard point > 0 else { return false }
        if step == point { faults.add(1, ordering: .relaxed) }
        return kind.withLock { $0 } == .diskStaysFull ? step >= point : step == point
    }

    private static func arm(_ number: Int) {
        steps.store(0, ordering: .relaxed)
        point.store(number, ordering: .relaxed)
    }

    private static func disarm() { point.store(0, ordering: .relaxed) }

    private var files: FileSystem {
        let kind = kind
        return FileSystem { step in
            guard Self.isDue() else { return nil }
            guard kind == .shortWrite, step.kind == .write else { return .error(kind.code) }
            return .shortWrite(count: step.count / 2) { kind.code }
        }
    }

    private func installVFS() {
        let installed = faulty_vfs_install { @Sendable step, _ in
            guard FaultRun.isDue() else { return Int32(FAULTY_GO_ON.rawValue) }
            return switch FaultRun.kind.withLock({ $0 }) {
            case .diskFull, .diskStaysFull: Int32(FAULTY_FULL.rawValue)
            case .shortWrite: Int32(FAULTY_HALF_THEN_IO_ERROR.rawValue)
            case .ioError, .noPermission: Int32(FAULTY_IO_ERROR.rawValue)
            }
        }
        guard installed == 0 else { exit(70) }
    }

    func run() async throws {
        if backend == .sqlite { installVFS() }
        let expected = try await CrashWorkload.expected()
        Self.arm(.max)
        let uninterrupted = folder.appendingPathComponent("uninterrupted")
        try FileManager.default.createDirectory(at: uninterrupted, withIntermediateDirectories: true)
        let store = try await open(in: uninterrupted)
        for step in CrashWorkload.steps { try await CrashWorkload.perform(step, on: store) }
        try await store.close()
        let count = Self.steps.load(ordering: .relaxed)
        let stride = max(1, Double(count) / Double(limit))
        var (tried, failed) = (0, 0)
        var violations: [String] = []
        for number in 0..<min(count, limit) {
            let point = min(count, Int(Double(number) * stride) + 1)
            let copy = folder.appendingPathComponent("\(point)")
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            let (hasFailed, violation) = try await attempt(point, in: copy, expected)
            tried += 1
            failed += hasFailed ? 1 : 0
            if let violation {
                violations.append("\(kind.rawValue) at step \(point) of \(count): \(violation)")
            }
            try? FileManager.default.removeItem(at: copy)
        }
        let faults = Self.faults.load(ordering: .relaxed)
        if faults == 0 { violations.append("\(kind.rawValue): no step failed, so nothing was tested") }
        print(
            "\(tried) points of \(count), \(faults) faults, \(failed) writes failed, "
                + "violations: \(violations.count)")
        for violation in violations.prefix(10) { print(violation) }
        exit(violations.isEmpty ? 0 : 1)
    }

    private func open(in folder: URL) async throws -> any StorageProvider {
        try await CrashWorkload.open(backend, in: folder, files: files)
    }

    private func attempt(
        _ point: Int, in folder: URL, _ expected: [StorageContents]
    ) async throws -> (hasFailed: Bool, String?) {
        Self.arm(point)
        var hasFailed = false
        let store: any StorageProvider
        do {
            store = try await open(in: folder)
        } catch {
            Self.disarm()
            guard error is StorageError else { return (true, "opening threw \(error)") }
            hasFailed = true
            store = try await open(in: folder)
        }
        for (number, step) in CrashWorkload.steps.enumerated() {
            do {
                try await CrashWorkload.perform(step, on: store)
            } catch {
                Self.disarm()
                hasFailed = true
                guard let error = error as? StorageError, [.inputOutput, .full].contains(error.code),
                    !error.message.isEmpty
                else { return (true, "write \(number + 1) threw \(error)") }
                if let violation = try await unknownOutcome(
                    of: error, in: folder, expected[number], expected[number + 1])
                {
                    return (true, "write \(number + 1) \(violation)")
                }
                // Checks both the provider that failed and a new one.
                let fresh = try await CrashWorkload.open(backend, in: folder)
                for handle in [store, fresh] {
                    let differences = try await StorageContents(handle).differences(from: expected[number])
                    guard differences.isEmpty else {
                        return (
                            true, "write \(number + 1) failed (\(error)) and left different \(differences)"
                        )
                    }
                }
                try await fresh.close()
                try await CrashWorkload.perform(step, on: store)
            }
            let differences = try await StorageContents(store).differences(from: expected[number + 1])
            guard differences.isEmpty else {
                return (hasFailed, "after write \(number + 1) found different \(differences)")
            }
        }
        Self.disarm()
        try? await store.close()
        let again = try await CrashWorkload.open(backend, in: folder)
        let differences = try await StorageContents(again).differences(
            from: expected[CrashWorkload.steps.count])
        try await again.close()
        return (hasFailed, differences.isEmpty ? nil : "opened again found different \(differences)")
    }

    /// Checks that an error says that its outcome is unknown if a process that opens the files later, like one
    /// after a restart of the computer, finds the failed write.
    private func unknownOutcome(
        of error: StorageError, in folder: URL, _ before: StorageContents, _ after: StorageContents
    ) async throws -> String? {
        let copy = folder.appendingPathExtension("copy")
        try FileManager.default.copyItem(at: folder, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        for name in try FileManager.default.contentsOfDirectory(atPath: copy.path)
        where name.hasSuffix("-shm") {
            try FileManager.default.removeItem(at: copy.appendingPathComponent(name))
        }
        let store = try await CrashWorkload.open(backend, in: copy)
        let found = try await StorageContents(store)
        try await store.close()
        if found.differences(from: before).isEmpty { return nil }
        guard found.differences(from: after).isEmpty else { return "left a partial commit" }
        return error.message.contains("may or may not") ? nil : "was saved, but its error is: \(error)"
    }
}
