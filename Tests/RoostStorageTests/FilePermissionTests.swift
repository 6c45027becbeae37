import Foundation
import TestSupport
import Testing

@Suite(.temporaryFolders) struct FilePermissionTests {
    private func mode(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
            ?? 0
    }

    @Test(arguments: ["sqlite", "json"])
    func `only the owner can read the files of a store`(provider: String) throws {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The umask belongs to the process: a change in this one would affect tests that run at the same
        // time.
        process.arguments = [
            "-c",
            """
            umask 0 && "$0" init --store=new/store --provider="$1" && "$0" add --store=new/store "a note" \\
                && "$0" add --store=new/store "another note" && "$0" index --store=new/store \\
                && "$0" recluster --store=new/store
            """,
            CommandLineDriver.binary.path, provider,
        ]
        process.currentDirectoryURL = folder.url
        process.environment = ["HOME": folder.url.appendingPathComponent("home").path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try TestTool.start(process)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let new = folder.url.appendingPathComponent("new")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: new.path)
        #expect(paths.count > 3)
        for path in paths {
            let full = new.appendingPathComponent(path).path
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
            #expect(try mode(full) == (isFolder.boolValue ? 0o700 : 0o600), "\(path)")
        }
    }
}
