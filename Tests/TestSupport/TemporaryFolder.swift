public import Foundation
import Synchronization
public import Testing

/// An empty folder for a test case. The trait ``TemporaryFoldersTrait`` removes it when the test case ends:
///
///     @Suite(.temporaryFolders) struct SomeTests {
///         @Test func `a file is written`() throws {
///             let folder = try TemporaryFolder()
///             …
///         }
///     }
public struct TemporaryFolder: Sendable {
    public let url: URL

    /// Creates an empty folder with a unique name.
    ///
    /// - Precondition: The test or its suite has the trait `.temporaryFolders`.
    public init() throws {
        url = Self.unusedURL()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Returns a unique location at which nothing exists yet. Whatever the test creates there is removed when
    /// the test case ends.
    ///
    /// - Precondition: The test or its suite has the trait `.temporaryFolders`.
    public static func unusedURL() -> URL {
        guard let created = TemporaryFoldersTrait.created else {
            preconditionFailure("a test that creates temporary folders needs the trait .temporaryFolders")
        }
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-test-\(UUID().uuidString)")
        created.add(url)
        return url
    }

    /// Returns the contents of all files in the folder, by their relative paths.
    public func files() throws -> [String: Data] { try Self.files(in: url) }

    /// Returns the contents of all files in a folder, by their relative paths.
    public static func files(in folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            files[path] = try? Data(contentsOf: folder.appendingPathComponent(path))
        }
        return files
    }
}

/// Removes the temporary folders of each test case when it ends, whether it succeeds or fails.
public struct TemporaryFoldersTrait: TestTrait, SuiteTrait, TestScoping {
    final class Created: Sendable {
        private let urls = Mutex<[URL]>([])

        func add(_ url: URL) { urls.withLock { $0.append(url) } }

        func remove() {
            for url in urls.withLock({ $0 }) { try? FileManager.default.removeItem(at: url) }
        }
    }

    @TaskLocal static var created: Created?

    public var isRecursive: Bool { true }

    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let created = Created()
        defer { created.remove() }
        try await Self.$created.withValue(created) { try await function() }
    }
}

extension Trait where Self == TemporaryFoldersTrait {
    /// Removes the temporary folders of each test case when it ends.
    public static var temporaryFolders: TemporaryFoldersTrait { TemporaryFoldersTrait() }
}
