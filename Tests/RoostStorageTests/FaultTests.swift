import CrashWorkload
import Foundation
import Testing

/// A file system that fails: an error that may be acted on, and the store as before.
struct FaultTests {
    /// How many steps of each write are tried; all of them with `ROOST_FAULT_POINTS=all`.
    static var limit: Int {
        let asked = ProcessInfo.processInfo.environment["ROOST_FAULT_POINTS"] ?? ""
        return asked == "all" ? .max : Int(asked) ?? 25
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = KillTests.tool
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try startOneAtATime(process)
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationReason == .exit ? process.terminationStatus : -1, text)
    }

    @Test(
        arguments: CrashWorkload.Backend.allCases,
        ["io-error", "disk-full", "disk-stays-full", "short-write", "no-permission"])
    func `a step that fails leaves the store as before`(backend: CrashWorkload.Backend, kind: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (status, text) = try run(["fault", backend.rawValue, folder.url.path, kind, "\(Self.limit)"])
        print("\(backend), \(kind): \(text.prefix { $0 != "\n" })")
        #expect(status == 0, "\(text.suffix(3000))")
    }

    @Test(arguments: CrashWorkload.Backend.allCases, [300_000, 2_000_000])
    func `a disk that is full takes nothing away`(backend: CrashWorkload.Backend, size: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (status, text) = try run(["limited", backend.rawValue, folder.url.path, "\(size)"])
        #expect(status == 0, "exit \(status): \(text.suffix(1000))")
    }
}
