import CrashWorkload
import Foundation
import RoostFiles
import RoostModel
import TestSupport
import Testing

@Suite(.temporaryFolders) struct FilePermissionTests {
    private func mode(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
            ?? 0
    }

    @Test(arguments: CrashWorkload.Backend.allCases)
    func `only the owner can read the files of a store`(backend: CrashWorkload.Backend) async throws {
        let folder = try TemporaryFolder()
        let old = umask(0)
        defer { umask(old) }
        let directory = folder.url.appendingPathComponent("new/store")
        try FileSystem.standard.createFolder(directory)
        let store = try await CrashWorkload.open(backend, in: directory)
        for step in CrashWorkload.steps { try await CrashWorkload.perform(step, on: store) }
        var count = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            let full = folder.url.appendingPathComponent(path).path
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
            #expect(try mode(full) == (isFolder.boolValue ? 0o700 : 0o600), "\(path)")
            count += 1
        }
        #expect(count > 3)
        try await store.close()
    }
}
