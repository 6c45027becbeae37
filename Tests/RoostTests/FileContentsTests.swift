import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of files that change while they are read.
@Suite(.temporaryFolders) struct FileContentsTests {
    private static let line = "a line of text\n"
    /// A text that is longer than the part of a file that is read first.
    private static let text = String(repeating: line, count: 2000)

    /// Reads a file that changes after its beginning has been read.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum size of a text.
    ///   - maximumBinarySize: The maximum size of a binary file; `nil` if the file must be a text.
    private func read(
        maximumSize: Int = 1 << 20, maximumBinarySize: Int? = nil, changing change: (URL) throws -> Void
    ) throws -> String {
        let file = try TemporaryFolder().url.appendingPathComponent("a.txt")
        try Data(Self.text.utf8).write(to: file)
        let data = try FileContents.read(file, maximumSize: maximumSize) { start in
            #expect(start.count < Self.text.utf8.count)
            #expect(throws: Never.self) { try change(file) }
            return maximumBinarySize
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func append(_ text: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func `a file that grows is read to its end`() throws {
        #expect(try read { try append("the end", to: $0) } == Self.text + "the end")
    }

    @Test(arguments: [(1 << 20, nil), (1 << 30, 1 << 20)] as [(Int, Int?)])
    func `a file that grows beyond the limit is refused`(limit: Int, binaryLimit: Int?) {
        let more = String(repeating: Self.line, count: 200_000)
        let error = #expect(throws: RoostError.self) {
            try read(maximumSize: limit, maximumBinarySize: binaryLimit) { try append(more, to: $0) }
        }
        #expect(error?.code == .badInput && error?.message.contains("larger than 1 MB") == true)
    }

    @Test func `a file that is emptied or replaced gives text that it contained`() throws {
        let start = try read { #expect(truncate($0.path, 0) == 0) }
        #expect(!start.isEmpty && Self.text.hasPrefix(start))
        let former = try read { try Data("new".utf8).write(to: $0, options: .atomic) }
        #expect(former == Self.text)
    }
}
