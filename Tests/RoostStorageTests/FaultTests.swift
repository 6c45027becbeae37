import CrashWorkload
import Foundation
import TestSupport
import Testing

/// After a file system error, a store throws a documented error and is unchanged.
@Suite(.temporaryFolders) struct FaultTests {
    /// The number of steps at which a failure is injected; all steps with `ROOST_FAULT_POINTS=all`.
    static var limit: Int {
        let setting = ProcessInfo.processInfo.environment["ROOST_FAULT_POINTS"] ?? ""
        return setting == "all" ? .max : Int(setting) ?? 25
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = StorageWorker.tool
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try TestTool.start(process)
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationReason == .exit ? process.terminationStatus : -1, text)
    }

    @Test(
        arguments: CrashWorkload.Backend.allCases,
        ["io-error", "disk-full", "disk-stays-full", "short-write", "no-permission"])
    func `a failed step leaves the store unchanged`(
        backend: CrashWorkload.Backend, kind: String
    ) throws {
        let folder = try TemporaryFolder()
        let (status, text) = try run(["fault", backend.rawValue, folder.url.path, kind, "\(Self.limit)"])
        print("\(backend), \(kind): \(text.prefix { $0 != "\n" })")
        #expect(status == 0, "\(text.suffix(3000))")
    }

    @Test(arguments: CrashWorkload.Backend.allCases, [300_000, 2_000_000])
    func `a full disk loses no acknowledged entry`(backend: CrashWorkload.Backend, size: Int) throws {
        let folder = try TemporaryFolder()
        let (status, text) = try run(["limited", backend.rawValue, folder.url.path, "\(size)"])
        #expect(status == 0, "exit \(status): \(text.suffix(1000))")
    }
}
