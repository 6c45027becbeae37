import Foundation
import RoostModel
import Testing

@testable import RoostFiles

struct StorageErrorTests {
    @Test(arguments: [
        (ENOSPC, StorageError.Code.full), (EDQUOT, .full), (EFBIG, .full), (EROFS, .readOnly),
        (EACCES, .inputOutput), (EPERM, .inputOutput), (EIO, .inputOutput), (ENOENT, .inputOutput),
    ])
    func `a file error becomes the storage error of its cause`(errno: Int32, code: StorageError.Code) throws {
        let cause = FileError(operation: "write", path: "/a/b", errno: errno)
        let error = try #require(StorageError.mapping(cause) as? StorageError)
        #expect(error.code == code)
        #expect(error.message == cause.description)
        #expect(error.underlying as? FileError == cause)
        #expect(!error.isRetryable)
        let remedies: [Int32: Remedy] = [
            EACCES: .checkPermissions, EPERM: .checkPermissions, ENOSPC: .freeSpace, EDQUOT: .freeSpace,
        ]
        #expect(error.remedy == remedies[errno])
    }

    @Test func `a lock timeout becomes a retryable error with the holder`() throws {
        let cause = LockTimeout(path: "/a/lock", holder: "process 7 (roost)", seconds: 3)
        let error = try #require(StorageError.mapping(cause) as? StorageError)
        #expect(error.code == .locked && error.isRetryable)
        #expect(error.message.contains("process 7 (roost)"))
    }
}
